import type { Fact } from "./fact.ts";
import type { LoopEvent } from "@quasar/loop";
import type { RunEnd, RunEvent } from "../events.ts";
import { changesSince, standingsOf } from "./standings.ts";

/**
 * What an event leaves in the journal; `undefined` for what an agent says as it works, which its
 * turn's files hold.
 *
 * @param before - What the journal holds.
 */
export function factOf(event: LoopEvent, before: readonly Fact[]): Fact | undefined {
  const { state, taskId: _, ...data } = event;
  switch (data.type) {
    case "agent_event":
      return undefined;
    case "check_done":
    case "task_success":
      return { ...data, turnId: state().turn?.id ?? "" };
    case "review_complete": {
      // Later reviews judge earlier findings anew: this is how they stood now.
      const { turn, allFindings } = state();
      const changed = changesSince(standingsOf(before), allFindings);
      return { ...data, turnId: turn?.id ?? "", changed };
    }
    case "cycle_start":
    case "agent_start":
    case "agent_done":
    case "committed":
    case "snapshot":
    case "undone":
    case "task_failed":
    case "refactored":
    case "struggle_detected":
    case "resumed":
    case "turn_recovered":
    case "turn_retry":
    case "tools_denied":
    case "warning":
      return data;
  }
}

/** What the runner itself did or saw and the journal is to hold; `undefined` for everything else. */
export function ownFact(event: RunEvent): Fact | undefined {
  if (event.type === "notice") return { type: event.type, message: event.message };
  return event.type === "waiting" ? { ...event } : undefined;
}

/** How a run ended, as its journal has it. */
export function endFact({ result }: RunEnd): Fact {
  const { outcome, cycle, totalCostUsd, unknownCostUsd, message, finalCommitSha } = result;
  const money = { totalCostUsd, unknownCostUsd };
  const retryAt = result.agentFailure?.retryAt;
  return { type: "result", outcome, cycle, ...money, message, finalCommitSha, retryAt };
}

/** The keys of a fact by which it is known to be the same, where a crash may have it told again. */
const IDENTITY: Readonly<Record<string, readonly string[]>> = {
  cycle_start: ["cycle"],
  agent_start: ["turnId"],
  agent_done: ["turnId"],
  tools_denied: ["turnId"],
  committed: ["cycle", "turnId", "sha"],
  check_done: ["cycle", "turnId", "check", "name"],
  snapshot: ["n"],
  review_complete: ["cycle", "turnId"],
  refactored: ["cycle"],
  struggle_detected: ["cycle"],
  task_success: ["turnId"],
  forked: [],
  abandoned: [],
};

/** What a fact says that may be said anew of the same thing: a check that failed passes after a resume. */
export function verdictOf({ passed }: Fact): unknown {
  return passed;
}

/** Names a fact that is in the journal once, unless it has another verdict by then; `undefined` for what may happen again. */
export function keyOf(fact: Fact): string | undefined {
  const identity = Object.hasOwn(IDENTITY, fact.type) ? IDENTITY[fact.type] : undefined;
  return identity && JSON.stringify([fact.type, ...identity.map((name) => fact[name])]);
}
