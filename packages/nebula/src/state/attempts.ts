import type { KeptEvent } from "./recent-events.ts";
import type { PhaseState } from "./state.ts";

/** An attempt of a phase that has begun. */
export interface PhaseAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly runId: string;
  /** RFC 3339; `undefined`: the journal does not know it. */
  readonly startedAt: string | undefined;
  /** Why there was another one after those before; none of the first. */
  readonly reasons: readonly string[];
}

/** The attempts of a phase, oldest first. Its state says which there were, the journal when and why. */
export function phaseAttempts(
  { id, runs }: Pick<PhaseState, "id" | "runs">,
  events: readonly KeptEvent[],
): readonly PhaseAttempt[] {
  const begun = new Map<string, { readonly attempt: number; readonly at: string }>();
  const reasonsOf = new Map<number, readonly string[]>();
  for (const event of events) {
    if (event.type === "phase_begun" && event.phase === id) begun.set(event.runId, event);
    if (event.type === "rework" && event.phase === id) reasonsOf.set(event.attempt, event.findings);
    if (event.type === "decision" && event.phase === id && event.isResumed !== true) {
      const reason = event.reason === "" ? "" : `: ${event.reason}`;
      if (event.verb === "reject" || event.verb === "retry") {
        reasonsOf.set(event.attempt + 1, [`${ASKED[event.verb]}${reason}`]);
      }
    }
  }
  return runs.map((runId, at) => {
    const known = begun.get(runId);
    const attempt = known?.attempt ?? at + 1;
    return { attempt, runId, startedAt: known?.at, reasons: reasonsOf.get(attempt) ?? [] };
  });
}

const ASKED = { reject: "rejected by a person", retry: "a person had it begin again" } as const;
