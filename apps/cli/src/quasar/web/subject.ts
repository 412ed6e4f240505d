import { join } from "node:path";
import { createRedactionSet, type RedactionSet } from "@quasar/agents/internal";
import {
  type Decision,
  type DecisionMade,
  type DecisionNote,
  type LiveFacts,
  type ReportFacts,
  type ShownDiff,
  shownDiff,
  shownTranscript,
} from "@quasar/page/live";
import {
  readTranscript,
  redactFacts,
  redactTranscript,
  type TranscriptFacts,
} from "@quasar/runs/facts";
import { cleanLine } from "@quasar/runs/text";
import { openRunSource } from "../../cockpit/live/run-source.ts";
import type { LocalSource } from "../../cockpit/live/source.ts";
import { diffsOf } from "../report/evidence.ts";
import type { Watched } from "../runs/find-watched.ts";

/** What a page is about: all that its server reads and does. Texts that it answers with are without secrets. */
export interface Subject {
  /** @returns The very same object where nothing has changed; `undefined`: there is nothing to show yet. */
  read(): Promise<LiveFacts | undefined>;
  /** Folders in which something changes when the facts do. */
  folders(): readonly string[];
  /** Of a turn of the facts that were read last; `undefined`: it is none of theirs, or not kept. */
  transcript(turnId: string): Promise<TranscriptFacts | undefined>;
  /** What a commit or a landing of those facts changed; `undefined` likewise. */
  diff(sha: string): Promise<ShownDiff | undefined>;
  /** The change that a person is asked about, or why it is another one by now. */
  change(phase: string, digest: string): Promise<ShownDiff | DecisionNote>;
  decide(made: DecisionMade): DecisionNote;
}

/** What is only of nebulae. */
export interface NebulaPart {
  readonly source: LocalSource;
  /** Without secrets. */
  redacted(facts: ReportFacts, { redact }: RedactionSet): ReportFacts;
  decisions(facts: ReportFacts): readonly Decision[];
  /** The commits of the change that a person is asked about; `undefined`: it is another one by now. */
  changeOf(
    phase: string,
    digest: string,
  ): { readonly from: string; readonly sha: string } | undefined;
  decide(made: DecisionMade): DecisionNote;
}

/** Milliseconds after which it reads anew, once facts change, what is secret: the values of `.env*` files may be others. */
const SECRETS_MS = 30_000;

export async function openSubject({ kind, id, workspace }: Watched): Promise<Subject> {
  const nebula =
    kind === "run" ? undefined : (await import("./nebula-part.ts")).openNebulaPart(workspace, id);
  const source = nebula?.source ?? openRunSource(workspace, id);
  const secretsNow = secretsOf(workspace.root);
  let known: ReportFacts | undefined;
  let last: { readonly of: unknown; readonly live: LiveFacts } | undefined;

  async function readDiff(commit: {
    readonly sha: string;
    readonly from?: string | undefined;
  }): Promise<ShownDiff | undefined> {
    const [diff] = await diffsOf(workspace.root, [commit], secretsNow().redact);
    return diff && shownDiff(diff);
  }

  return {
    async read() {
      known = await source.read();
      if (known === undefined) return undefined;
      const of = known.kind === "run" ? known.run : known.nebula;
      if (last?.of === of) return last.live;
      const secrets = secretsNow();
      const facts = redactedOf(known, secrets, nebula);
      const decisions = nebula?.decisions(known) ?? [];
      last = { of, live: { facts, decisions, redactionDigest: secrets.digest } };
      return last.live;
    },
    folders: () => source.folders(),
    async transcript(turnId) {
      const place = known && placeOf(known, turnId);
      if (place === undefined) return undefined;
      const { root: workTree, runsDir } = source.workspaceOf(place.phase);
      const folders = { workTree, dir: join(runsDir, place.runId) };
      const read = redactTranscript(await readTranscript(folders, turnId), secretsNow().redact);
      return read.isKept ? shownTranscript(read) : undefined;
    },
    async diff(sha) {
      const commit = known && commitsOf(known).find((each) => each.sha === sha);
      return commit && readDiff(commit);
    },
    async change(phase, digest) {
      const commits = nebula?.changeOf(phase, digest);
      if (commits === undefined) return OTHER_CHANGE;
      return (await readDiff(commits)) ?? LOST_CHANGE;
    },
    decide(made) {
      const { text, isBad } = nebula?.decide(made) ?? NOTHING_ASKED;
      return { text: cleanLine(text), isBad };
    },
  };
}

const OTHER_CHANGE = note(
  "It is not asked any more, or its change is another one by now: look at it again.",
);
const LOST_CHANGE = note("Git does not have its change.");
const NOTHING_ASKED = note("Nothing of a run is decided here.");

function note(text: string): DecisionNote {
  return { text, isBad: true };
}

function redactedOf(
  facts: ReportFacts,
  secrets: RedactionSet,
  nebula: NebulaPart | undefined,
): ReportFacts {
  if (facts.kind === "run") return { kind: "run", run: redactFacts(facts.run, secrets.redact) };
  return nebula?.redacted(facts, secrets) ?? facts;
}

function secretsOf(root: string): () => RedactionSet {
  let known: { readonly set: RedactionSet; readonly readAt: number } | undefined;
  return () => {
    const now = Date.now();
    if (known === undefined || now - known.readAt > SECRETS_MS) {
      const { redact, digest } = createRedactionSet(process.env, root);
      known = { set: { redact, digest }, readAt: now };
    }
    return known.set;
  };
}

/** Where a turn is kept; `undefined`: it is none of these. */
function placeOf(
  facts: ReportFacts,
  turnId: string,
): { readonly phase: string; readonly runId: string } | undefined {
  const runs =
    facts.kind === "run"
      ? [{ phase: "", run: facts.run }]
      : facts.nebula.phases.flatMap(({ id, runs: own }) => own.map((run) => ({ phase: id, run })));
  const found = runs.find(({ run }) => run.turns.some((turn) => turn.turnId === turnId));
  return found && turnId !== "" ? { phase: found.phase, runId: found.run.id } : undefined;
}

function commitsOf(
  facts: ReportFacts,
): readonly { readonly sha: string; readonly from?: string | undefined }[] {
  if (facts.kind === "run") return facts.run.commits;
  return facts.nebula.landings.map(({ sha, onto }) => ({ sha, from: onto }));
}
