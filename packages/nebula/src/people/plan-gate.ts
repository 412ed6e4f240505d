import { lockUnlessEngine, withState, workedOnError } from "../state/lock.ts";
import type { NebulaEvent } from "../events.ts";
import { whyArchived } from "../state/archived.ts";
import { readSpec } from "../state/copy.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { type NebulaHome, nebulaHome } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { requireState, type StateStore } from "../state/store.ts";
import type { Answered } from "./answer.ts";
import { keptReason } from "./decision.ts";

/**
 * Whether a person has to approve the plan before the first phase begins: where the nebula's own gate is `approve`. Once
 * a phase has begun, nobody is asked any more.
 */
export function planWaits(
  { phases, planVerdict }: Pick<NebulaState, "phases" | "planVerdict">,
  { execution }: Pick<NebulaSpec, "execution">,
): boolean {
  const hasBegun = phases.some(({ runs }) => runs.length > 0);
  return execution.gate === "approve" && !hasBegun && planVerdict !== "approved";
}

/** Reports where no phase begins before a person has approved the plan; on record once. @returns Whether that is so. */
export function tellPlanWaits({
  store,
  spec,
  tell,
}: {
  readonly store: StateStore;
  readonly spec: NebulaSpec;
  readonly tell: (event: NebulaEvent) => void;
}): boolean {
  if (!planWaits(store.current, spec)) return false;
  const { planVerdict, planReason: reason } = store.current;
  const event: NebulaEvent = { type: "plan_waits", isRejected: planVerdict === "rejected", reason };
  if (planVerdict === "") store.plan({ planVerdict: "asked", planReason: "" }, event);
  tell(event);
  return true;
}

/** What a person says of a nebula's plan. */
export interface PlanDecision {
  readonly verb: "approve" | "reject";
  /** @default "" */
  readonly reason?: string | undefined;
}

/**
 * Approves the plan of a nebula, so that its phases begin, or rejects it: none does until its files are changed and taken
 * over (`update`), or it is approved after all.
 *
 * @param state - As the person was shown it.
 * @throws {NebulaError} `ERR_LOCKED` while an engine works on it whose plan waits; `ERR_USAGE` for a reason of over 16,384 characters.
 */
export function decidePlan(
  commonDir: string,
  state: NebulaState,
  { verb, reason: said = "" }: PlanDecision,
): Answered {
  const reason = keptReason(said);
  const home = nebulaHome(commonDir, state.id);
  const lock = lockUnlessEngine(home);
  if (lock === undefined) {
    const why = whyNotAsked(home, requireState(home));
    if (why === undefined) throw workedOnError(home);
    return { kind: "refused", why };
  }
  return withState({ home, lock }, (store) => {
    const why = whyNotAsked(home, store.current);
    if (why !== undefined) return { kind: "refused", why };
    if (store.current.revision !== state.revision) {
      return { kind: "refused", why: "its files are others by now: look at the plan again" };
    }
    const planVerdict = verb === "approve" ? "approved" : "rejected";
    store.plan({ planVerdict, planReason: reason }, { type: "plan_decision", verb, reason });
    return { kind: "done" };
  });
}

/** Why there is no plan to decide; `undefined`: there is one. */
function whyNotAsked(home: NebulaHome, state: NebulaState): string | undefined {
  const archived = whyArchived(state);
  if (archived !== undefined) return archived;
  if (planWaits(state, readSpec(home, state.revision))) return undefined;
  return "nobody is asked about its plan: name a phase";
}
