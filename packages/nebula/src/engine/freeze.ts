import { isAncestor } from "@quasar/git/history";
import { readRef } from "@quasar/git/landing";
import { holdRef } from "../landing/hold-ref.ts";
import { leftOfMerge } from "../landing/left-of-merge.ts";
import { sendBack } from "../landing/send-back.ts";
import { refsOf } from "../state/home.ts";
import { note, report } from "../state/report.ts";
import type { PhaseState } from "../state/state.ts";
import { reservedAfterRun } from "./budget.ts";
import type { Approved } from "../context/came.ts";
import { branchTip, type Engine } from "../context/context.ts";
import { spentByPhase } from "./fund.ts";
import { nextSeq } from "../state/schedule.ts";
import { specOtherThan } from "./task-text.ts";

/**
 * What was approved is held by a ref, then the phase gets its place in the queue. The run says what that is: an agent can
 * write the ref too.
 */
export async function freeze(
  engine: Engine,
  state: PhaseState,
  { commit: tip, task }: Approved,
): Promise<void> {
  const { repository, store, signal } = engine;
  const { id, attempt, seq } = state;
  await holdFrozen(engine, state, tip);
  if (await hasMarkersLeft(engine, state, tip)) return;
  if (await isAncestor(repository, tip, await branchTip(engine), { signal })) {
    const done = { status: "done", tip, reservedUsd: 0, reason: "" } as const;
    report(engine, id, done, { type: "phase_unchanged", phase: id });
    return;
  }
  const place = seq === 0 ? nextSeq(store.current) : seq;
  const reservedUsd = reservedAfterRun(await spentByPhase(engine, state), state);
  const queued = { status: "queued", tip, seq: place, reason: "", reservedUsd } as const;
  const isOutdated = specOtherThan(engine, id, task) === undefined ? undefined : true;
  report(engine, id, queued, { type: "phase_approved", phase: id, attempt, tip, isOutdated });
}

/** Reports it where the ref names something else: no run has put that there. */
async function holdFrozen(
  engine: Engine,
  { id, ref, attempt }: PhaseState,
  tip: string,
): Promise<void> {
  const { repository, store, signal } = engine;
  const name = refsOf(store.current.id).frozen(ref, attempt);
  const found = await readRef(repository, name, { signal });
  if (found !== undefined && found !== tip) {
    const message = `${name} named ${found}, which nobody approved: the approved commit ${tip} takes its place`;
    note(engine, { type: "warning", phase: id, message });
  }
  await holdRef(engine, name, tip);
}

/** Whether a rework was approved with conflict markers that its base brought: then it is not done. */
async function hasMarkersLeft(engine: Engine, state: PhaseState, tip: string): Promise<boolean> {
  const left = await leftOfMerge(engine, state, tip);
  if (left.length === 0) return false;
  const { id, conflictCommit } = state;
  await sendBack(engine, id, {
    cause: "merge",
    findings: left.map(({ finding }) => `[merge] ${finding}`),
    base: tip,
    conflict: { conflictCommit, conflicts: left.map(({ path }) => path) },
  });
  return true;
}
