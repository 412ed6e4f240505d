import type { Engine } from "../context/context.ts";
import { boundFindings, boundText } from "../state/bounds.ts";
import { report } from "../state/report.ts";
import { refsOf } from "../state/home.ts";
import { ANEW, type PhaseState, type ReworkCause } from "../state/state.ts";
import { holdRef } from "./hold-ref.ts";

/** Why a phase cannot land as it is, and what its agents continue from. */
export interface Refusal {
  readonly cause: ReworkCause;
  readonly findings: readonly string[];
  /** The commit that the next attempt begins at. */
  readonly base: string;
  /** The commit that brings conflict markers into it, and where. @default none does */
  readonly conflict?: Pick<PhaseState, "conflictCommit" | "conflicts"> | undefined;
}

/** Most findings that stand in why a person is asked. */
const MOST_NAMED = 10;

/**
 * Sends a phase back to its agents, for a new run. From the second time on it holds the lane; after too many times of one
 * cause a person decides.
 */
export async function sendBack(
  engine: Engine,
  id: string,
  { cause, findings: found, base, conflict = { conflictCommit: "", conflicts: [] } }: Refusal,
): Promise<void> {
  const findings = boundFindings(found);
  const { store, spec, now } = engine;
  const { ref, attempt: last, reworks, holdsSince, asksPerson } = store.phase(id);
  const { length: done } = reworks.filter((each) => each === cause);
  if (asksPerson || done >= spec.execution.maxReworks) {
    const why = asksPerson
      ? `it could not land: ${findings.slice(0, MOST_NAMED).join("; ")}`
      : `it could not land after ${done} reworks: ${findings[0] ?? cause}`;
    const reason = boundText(why);
    const waiting = { status: "awaiting_human", question: "rework", reason, findings } as const;
    report(engine, id, waiting, { type: "phase_waits", phase: id, reason });
    return;
  }
  const attempt = last + 1;
  const isAgain = holdsSince === "" && reworks.length > 0;
  // The commit is kept from `gc` before the state names it.
  await holdRef(engine, refsOf(store.current.id).conflict(ref, attempt), base);
  report(
    engine,
    id,
    {
      ...ANEW,
      ...{ status: "pending", attempt, base, ...conflict },
      ...{ reworks: [...reworks, cause], findings, reason: findings[0] ?? cause },
      holdsSince: isAgain ? now().toISOString() : holdsSince,
    },
    { type: "rework", phase: id, attempt, findings },
  );
}
