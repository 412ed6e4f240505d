import type { Workspace } from "@quasar/runs";
import { diffOfRun } from "../places/diff.ts";
import { readRun } from "../places/read.ts";
import { guarded } from "../untrusted/guard.ts";
import { inertJson } from "../untrusted/json.ts";
import { NOTE, quoted } from "../untrusted/quoted.ts";
import { reportMd } from "./report.ts";
import type { ResourceUri, View } from "./uri.ts";

/** What a resource holds. */
export interface ResourceText {
  readonly mimeType: string;
  readonly text: string;
}

/** Characters of a patch that are given; `run_diff` gives one file by itself. */
const MOST_PATCH = 400_000;
/** The newest events; `run_events` gives all. */
const MOST_EVENTS = 1000;

export const MIME_TYPES: Readonly<Record<View, string>> = {
  "report.md": "text/markdown",
  events: "application/json",
  diff: "text/plain",
  "findings.json": "application/json",
};

/** Reads a resource of a run. @throws as {@link readRun}, {@link diffOfRun} */
export async function readResource(
  own: Workspace,
  { runId, view }: ResourceUri,
): Promise<ResourceText> {
  return { mimeType: MIME_TYPES[view], text: await TEXTS[view](own, runId) };
}

const TEXTS: Readonly<Record<View, (own: Workspace, runId: string) => Promise<string>>> = {
  "report.md": async (own, id) => reportMd(await readRun(own, id)),
  async events(own, id) {
    const { events } = await readRun(own, id);
    return json({ total: events.length, events: events.slice(-MOST_EVENTS) }, `run ${id}`);
  },
  async diff(own, id) {
    const { patch } = await diffOfRun(own, id);
    return quoted(patch.slice(0, MOST_PATCH), `changes of run ${id}`);
  },
  async "findings.json"(own, id) {
    const { findings, verdict } = await readRun(own, id);
    return json({ findings, verdict }, `reviewer of run ${id}`);
  },
};

function json(facts: object, origin: string): string {
  return inertJson({ note: NOTE, ...(guarded(facts, origin) as object) });
}
