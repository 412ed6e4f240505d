import type { Engine } from "../engine/context.ts";
import { refsOf } from "../state/home.ts";
import type { PhaseState, ReworkCause } from "../state/state.ts";
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

/** Sends a phase back to its agents, for a new run. After too many times of one cause a person decides. */
export async function sendBack(
  engine: Engine,
  id: string,
  { cause, findings, base, conflict = { conflictCommit: "", conflicts: [] } }: Refusal,
): Promise<void> {
  const { store, spec, tell } = engine;
  const { ref, attempt: last, reworks } = store.phase(id);
  const { length: done } = reworks.filter((each) => each === cause);
  if (done >= spec.execution.maxReworks) {
    const reason = `it could not land after ${done} reworks: ${findings[0] ?? cause}`;
    const event = { type: "phase_waits", phase: id, reason } as const;
    const waiting = { status: "awaiting_human", question: "rework", reason, findings } as const;
    store.change(id, waiting, event);
    tell(event);
    return;
  }
  const attempt = last + 1;
  const event = { type: "rework", phase: id, attempt, findings } as const;
  // The commit is kept from `gc` before the state names it.
  await holdRef(engine, refsOf(store.current.id).conflict(ref, attempt), base);
  store.change(
    id,
    {
      ...{ status: "pending", attempt, base, runId: "", ...conflict },
      ...{ tip: "", onto: "", candidate: "", tree: "", digest: "", approved: "" },
      ...{ reworks: [...reworks, cause], findings, reason: findings[0] ?? cause },
    },
    event,
  );
  tell(event);
}
