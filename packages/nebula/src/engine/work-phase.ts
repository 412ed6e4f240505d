import { currentHead, dirtyPaths } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";

import { conflictMarkersLeft } from "@quasar/git/landing";
import { takeSnapshot } from "@quasar/git/snapshots";
import { openRuns, type RunEnd, type RunEvent, type Runs } from "@quasar/runs";
import { newRunId } from "@quasar/runs/internal";
import { spentIn } from "@quasar/runs/tree";
import type { NebulaEvent } from "../events.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { sendBack } from "../landing/send-back.ts";
import { refsOf, runsFolder } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import { moveTree, openTree } from "../trees/tree.ts";
import { allowanceOf, reservedAfterRun } from "./budget.ts";
import { branchTip, type Engine } from "./context.ts";
import { nextSeq, type Phase } from "./schedule.ts";
import { taskText } from "./task-text.ts";

/** How the work on a phase has come to its end. */
export type Worked =
  /** Its state says how. */
  | "settled"
  /** It was told to stop, and continues with the next engine. */
  | "interrupted";

/**
 * Records that a phase begins, and at which commit, before anything of it is there.
 *
 * @returns `false` where too little of the budget is left for it.
 */
export async function beginPhase(engine: Engine, phase: Phase): Promise<boolean> {
  const { id, attempt, runs, base: given } = phase.state;
  const allowance = await allowanceOf(engine, phase);
  if (allowance === undefined) return false;
  const base = given === "" ? await branchTip(engine) : given;
  const runId = newRunId(engine.now());
  const reservedUsd = allowance.spentUsd + allowance.runUsd;
  const begun = { status: "running", base, runId, runs: [...runs, runId], reservedUsd } as const;
  report(engine, id, begun, { type: "phase_begun", phase: id, attempt, runId });
  return true;
}

/**
 * Has a phase that has begun worked on until it is approved or fails, from wherever it was left: its work tree is made,
 * then its run begins, and each is found again after a crash.
 */
export async function workOnPhase(engine: Engine, { spec }: Phase): Promise<Worked> {
  const { store } = engine;
  const { id } = spec;
  const state = store.phase(id);
  const path = await openTree(engine, state.ref, state.base);
  const runs = await openRuns(path, { home: runsFolder(engine.home, state.ref) });
  const approved = await approvedCommit(engine, { spec, state }, runs);
  if (approved === undefined) {
    return store.phase(id).status === "running" ? "interrupted" : "settled";
  }
  await freeze(engine, { spec, state }, approved);
  return "settled";
}

/** Drives the run of the attempt to its end. `undefined`: it is not approved, and the state says why where it has ended. */
async function approvedCommit(
  engine: Engine,
  { spec, state }: Phase,
  runs: Runs,
): Promise<string | undefined> {
  const { signal, tell, spec: nebula } = engine;
  const { runId, id } = state;
  const found = (await runs.list()).find((run) => run.id === runId);
  if (found?.status === "approved") return (await runs.show(runId)).headSha;
  const given = {
    ...engine.optionsOf(spec),
    ownsTree: true,
    signal,
    onEvent: (event: RunEvent): void => tell({ type: "run_event", phase: id, event }),
  };
  const start = async (): Promise<RunEnd> => {
    await prepare(engine, state);
    const task = taskText(nebula, spec, state);
    const maxBudgetUsd = await runBudget(engine, state);
    return runs.start({ ...given, runId, task, maxBudgetUsd, isNew: true });
  };
  const { result } = await (found === undefined ? start() : runs.resume({ ...given, runId }));
  if (result.outcome === "approved") return result.finalCommitSha;
  if (result.outcome === "interrupted" || signal.aborted) return undefined;
  const reason = result.message;
  const failed = { status: "failed", reason, reservedUsd: 0 } as const;
  report(engine, id, failed, { type: "phase_failed", phase: id, reason });
  return undefined;
}

/** What was set apart for the phase when this run was to begin, less what runs before it have cost. */
async function runBudget(engine: Engine, { ref, reservedUsd }: PhaseState): Promise<number> {
  if (reservedUsd === 0) return 0;
  return reservedUsd - (await spentIn(runsFolder(engine.home, ref)));
}

/** Before a run begins the tree holds its base, whatever an earlier attempt has left there: that is kept. */
async function prepare(engine: Engine, { ref, base }: PhaseState): Promise<void> {
  const { store, signal } = engine;
  const path = await openTree(engine, ref, base);
  const { head } = await currentHead(path, { signal });
  const isDirty = (await dirtyPaths(path, { signal })).length > 0;
  if (head === base && !isDirty) return;
  if (isDirty) {
    const prefix = `refs/quasar/nebula/${store.current.id}/left/${ref}/`;
    await takeSnapshot(path, { prefix, message: `What was left of ${ref}`, signal });
  }
  await moveTree(engine, ref, base);
}

/** Whether a rework was approved with conflict markers that its base brought: then it is not done. */
async function hasMarkersLeft(
  engine: Engine,
  { id, conflictCommit, conflicts: paths }: PhaseState,
  tip: string,
): Promise<boolean> {
  if (paths.length === 0) return false;
  const { merges, signal } = engine;
  const left = { conflictCommit, tree: tip, paths, signal };
  const conflicts = await conflictMarkersLeft(merges, left);
  if (conflicts.length === 0) return false;
  const findings = conflicts.map((path) => `[merge] ${path}: conflict markers are left in it`);
  await sendBack(engine, id, {
    cause: "merge",
    findings,
    base: tip,
    conflict: { conflictCommit, conflicts },
  });
  return true;
}

/** What was approved is held by a ref, then the phase gets its place in the queue. */
async function freeze(engine: Engine, { state }: Phase, approved: string): Promise<void> {
  const { repository, store, signal } = engine;
  const { id, ref, attempt, seq } = state;
  const name = refsOf(store.current.id).frozen(ref, attempt);
  // What was frozen before a crash counts, whatever has become of the tree since.
  const tip = (await refSha(repository.root, name, { signal })) ?? approved;
  await holdRef(engine, name, tip);
  if (await hasMarkersLeft(engine, state, tip)) return;
  if (await isAncestor(repository.root, tip, await branchTip(engine), { signal })) {
    const done = { status: "done", tip, reservedUsd: 0, reason: "" } as const;
    report(engine, id, done, { type: "phase_unchanged", phase: id });
    return;
  }
  const place = seq === 0 ? nextSeq(store.current) : seq;
  const reservedUsd = await reservedAfterRun(engine, state);
  const queued = { status: "queued", tip, seq: place, reason: "", reservedUsd } as const;
  report(engine, id, queued, { type: "phase_approved", phase: id, attempt, tip });
}

function report(
  { store, tell }: Engine,
  id: string,
  change: Partial<PhaseState>,
  event: NebulaEvent,
): void {
  store.change(id, change, event);
  tell(event);
}
