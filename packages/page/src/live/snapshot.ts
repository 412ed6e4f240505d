import { createHash } from "node:crypto";
import { cleanTexts } from "../clean-texts.ts";
import type { LiveFacts, LiveMessage, ReportFacts } from "./protocol.ts";

/** The facts at one moment, ready to be sent. */
export interface Snapshot {
  /** The same for the same facts, whichever server has read them: `<events>.<their digest>.<digest of the rest>`. */
  readonly revision: string;
  readonly message: LiveMessage;
}

/** @param facts - Without secrets; their texts are cleaned here. */
export function snapshotOf(facts: LiveFacts): Snapshot {
  const cleaned = cleanTexts(facts);
  const events = eventsOf(cleaned.facts);
  const message = { ...cleaned, facts: withoutEvents(cleaned.facts), from: 0, events };
  const { from: _from, events: _events, ...rest } = message;
  return { revision: `${events.length}.${digestOf(events)}.${digestOf(rest)}`, message };
}

/**
 * What brings a reader to a snapshot, as server-sent events have it: what it lacks, without anything that it has.
 *
 * @param revision - That the reader has; `""`: none. One that no snapshot of these facts had begins anew.
 * @returns `""`: it has all of it.
 */
export function messageSince({ revision: now, message }: Snapshot, revision: string): string {
  if (revision === now) return "";
  const [, count = "0", digest] = /^(\d{1,9})\.([0-9a-f]+)\.[0-9a-f]+$/u.exec(revision) ?? [];
  const known = message.events.slice(0, Number(count));
  const isKnown = known.length === Number(count) && digestOf(known) === digest;
  const from = isKnown ? known.length : 0;
  const sent = { ...message, from, events: message.events.slice(from) } satisfies LiveMessage;
  return `id: ${now}\ndata: ${JSON.stringify(sent)}\n\n`;
}

function eventsOf(facts: ReportFacts): LiveMessage["events"] {
  if (facts.kind === "nebula") return facts.nebula.events;
  return facts.run.events.map((event) => ({ ...event, phase: "" }));
}

/** The page shows events of a nebula, which has those of its runs that matter. */
function withoutEvents(facts: ReportFacts): ReportFacts {
  if (facts.kind === "run") return { kind: "run", run: { ...facts.run, events: [] } };
  const phases = facts.nebula.phases.map((phase) => {
    return { ...phase, runs: phase.runs.map((run) => ({ ...run, events: [] })) };
  });
  return { kind: "nebula", nebula: { ...facts.nebula, phases, events: [] } };
}

/** JSON has no line feeds of its own, and no two texts of one digest are met. */
function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
