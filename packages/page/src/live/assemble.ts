import type { Embedded } from "../embedded.ts";
import type { Decision, LiveMessage, ReportFacts } from "./protocol.ts";

/** What a page has after a message. */
export interface Assembled extends Pick<LiveMessage, "events"> {
  readonly revision: string;
  readonly embedded: Embedded;
  readonly decisions: readonly Decision[];
}

/** @returns `undefined`: the message does not follow on what the page has, which has to begin anew. */
export function assemble(
  before: Assembled | undefined,
  revision: string,
  { facts, decisions, redactionDigest, from, events: added }: LiveMessage,
): Assembled | undefined {
  const known = from === 0 ? [] : (before?.events ?? []);
  if (known.length !== from) return undefined;
  const events = [...known, ...added];
  const data = withEvents(facts, events);
  const embedded = { data, redactionDigest, leftOut: {}, besides: undefined };
  return { revision, embedded, decisions, events };
}

function withEvents(facts: ReportFacts, events: LiveMessage["events"]): ReportFacts {
  if (facts.kind === "run") return { kind: "run", run: { ...facts.run, events } };
  return { kind: "nebula", nebula: { ...facts.nebula, events } };
}
