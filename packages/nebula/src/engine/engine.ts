import { setTimeout as sleep } from "node:timers/promises";
import { land, reconcileLandings } from "../landing/land.ts";
import { takeDecisions } from "../people/take-decisions.ts";
import { isSettled, type NebulaState } from "../state/state.ts";
import { removeLandedTrees, removeVerifyTree } from "../trees/tree.ts";
import { allowanceOf } from "./budget.ts";
import type { Engine } from "./context.ts";
import { laneTurn, phasesOf, readyPhases, skippedPhases } from "./schedule.ts";
import { beginPhase, workOnPhase } from "./work-phase.ts";

/** How often what people have decided is looked for, in milliseconds. */
const LOOK_MS = 1000;

/** Why nothing goes on any more. */
export type StopReason =
  /** Every phase has landed, or had nothing to land. */
  | "done"
  /** Some have failed, or were skipped since others have. */
  | "failed"
  /** Some wait for a person, or for the branch. */
  | "waiting"
  /** What is left of the budget is too little for the next phase. */
  | "budget"
  | "interrupted";

/**
 * Works on all phases of a nebula until nothing goes on any more. Workers and the lane run side by side; each change of
 * the state is on disk before anything acts on it.
 */
export async function drive(engine: Engine): Promise<StopReason> {
  await reconcileLandings(engine);
  const workers = new Map<string, Promise<void>>();
  let lane: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const guard = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => {},
      (error: unknown) => {
        failure ??= { error };
      },
    );
  /** Phases whose run was told to stop: they are not begun again by this engine. */
  const stopped = new Set<string>();
  let isBlocked = false;
  for (;;) {
    const mayBegin = failure === undefined && !engine.signal.aborted;
    if (mayBegin) {
      takeDecisions(engine);
      skip(engine);
      isBlocked = false;
      const working = new Set([...workers.keys(), ...stopped]);
      for (const phase of readyPhases(phasesOf(engine.spec, engine.store.current), working)) {
        if (workers.size >= engine.limits.maxWorkers) break;
        const { id } = phase.spec;
        if (phase.state.status === "pending" && !(await beginPhase(engine, phase))) {
          isBlocked = true;
          continue;
        }
        const work = workOnPhase(engine, phase).then((worked) => {
          if (worked === "interrupted") stopped.add(id);
        });
        workers.set(
          id,
          guard(work).finally(() => workers.delete(id)),
        );
      }
      if (lane === undefined) {
        const turn = laneTurn(
          phasesOf(engine.spec, engine.store.current),
          engine.spec.execution.mergeOrder,
        );
        if (turn.kind === "land") {
          lane = guard(land(engine, turn.phase).then(() => removeLandedTrees(engine))).finally(
            () => {
              lane = undefined;
            },
          );
        }
      }
    }
    const open = [...workers.values(), ...(lane === undefined ? [] : [lane])];
    if (open.length === 0) break;
    await Promise.race([...open, sleep(LOOK_MS, undefined, { ref: false })]);
  }
  if (failure !== undefined) throw failure.error;
  if (engine.signal.aborted) return "interrupted";
  await removeLandedTrees(engine);
  if (engine.store.current.phases.every(isSettled)) await removeVerifyTree(engine);
  return reasonOf(engine.store.current, isBlocked);
}

function skip({ spec, store, tell }: Engine): void {
  for (const { id, reason } of skippedPhases(phasesOf(spec, store.current))) {
    const event = { type: "phase_skipped", phase: id, reason } as const;
    store.change(id, { status: "skipped", reason }, event);
    tell(event);
  }
}

function reasonOf({ phases }: NebulaState, isBlocked: boolean): StopReason {
  if (phases.every(({ status }) => status === "done")) return "done";
  if (phases.some((phase) => phase.status === "awaiting_human")) return "waiting";
  if (phases.every(isSettled)) return "failed";
  return isBlocked ? "budget" : "waiting";
}
