import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentFailure, AgentRole } from "@quasar/agents";
import { currentHead, type Repository } from "@quasar/git";
import { isAncestor, refSha, resolveCommit } from "@quasar/git/history";
import { operationInProgress } from "@quasar/git/internal";
import { conflictMarkersLeft } from "@quasar/git/landing";
import { openRuns, type RunEnd, type RunEvent, type Runs, RunsError } from "@quasar/runs";
import { lastCommitOf, newRunId, blockingQuestions } from "@quasar/runs/internal";
import { count, span } from "@quasar/runs/text";
import { spentIn } from "@quasar/runs/tree";
import { NebulaError } from "../errors.ts";
import type { PhaseSpec } from "../spec/types.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { sendBack } from "../landing/send-back.ts";
import { phasePeople, waitForAnswers } from "../people/phase-people.ts";
import { refsOf, runsFolder } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import { keepUncommitted, moveTree, openTree, type TreeOptions, treePath } from "../trees/tree.ts";
import { allowanceOf, reservedAfterRun } from "./budget.ts";
import { branchTip, type Engine } from "./context.ts";
import { note, report } from "../state/report.ts";
import { nextSeq, type Phase } from "./schedule.ts";
import { settingsObstacle } from "./settings.ts";
import { isOfText, taskText } from "./task-text.ts";

/** How the work on a phase has come to its end. */
export type Worked =
  /** Its state says how. */
  | "settled"
  /** It was told to stop, and continues with the next engine. */
  | "interrupted"
  /** The nebula is paused, and it continues when that has ended. */
  | "paused"
  /** An agent's usage limit has stopped it, and it continues with the next engine. */
  | "limited";

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
  const state = engine.store.phase(spec.id);
  const isMade = !existsSync(treePath(engine, state.ref));
  const tree = await treeOf(engine, { spec, state });
  if (tree === undefined) return "settled";
  const runs = await openRuns(tree.root, { home: runsFolder(engine.home, state.ref) });
  const came = await runToEnd(engine, { spec, state }, runs, { root: tree.root, isMade });
  if (came.as === "approved") await freeze(engine, state, came);
  return came.as === "approved" ? "settled" : came.as;
}

/** The work tree of a phase; `undefined` where it cannot be set up, which the state says. */
async function treeOf(engine: Engine, { spec, state }: Phase): Promise<Repository | undefined> {
  try {
    const options = treeOptions(engine, spec, state);
    return await openTree(engine, { ...options, commit: await reachedOf(engine, state) });
  } catch (error) {
    if (!(error instanceof NebulaError) || error.code !== "ERR_SETUP") throw error;
    fail(engine, state.id, error.message);
    return undefined;
  }
}

/** The commit that a phase's work has got to, where its tree has to be made again. */
async function reachedOf(engine: Engine, { ref, runId, base }: PhaseState): Promise<string> {
  const { repository, home, signal } = engine;
  if (existsSync(treePath(engine, ref))) return base;
  const last = await lastCommitOf(join(runsFolder(home, ref), runId));
  return (last && (await resolveCommit(repository.root, last, { signal }))) ?? base;
}

function treeOptions(
  { spec: { execution } }: Engine,
  { setup }: PhaseSpec,
  { ref: name, base: commit }: PhaseState,
): TreeOptions {
  return { name, commit, setup: { commands: setup ?? execution.setup } };
}

function fail(engine: Engine, id: string, reason: string): void {
  const failed = { status: "failed", reason, reservedUsd: 0 } as const;
  report(engine, id, failed, { type: "phase_failed", phase: id, reason });
}

/** What the run of an attempt has come to; where it failed, the state says why. */
type Came = Approved | { readonly as: Worked };

interface Approved {
  readonly as: "approved";
  readonly commit: string;
  /** What it was asked last. */
  readonly task: string;
}

async function runToEnd(
  engine: Engine,
  { spec, state }: Phase,
  runs: Runs,
  { root, isMade }: { readonly root: string; readonly isMade: boolean },
): Promise<Came> {
  const { tell, spec: nebula } = engine;
  const timeoutMs = spec.timeoutMs ?? nebula.execution.timeoutMs;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([engine.signal, late]);
  const { runId, id } = state;
  const commits = commitHolder(engine, state);
  const found = (await runs.list()).find((run) => run.id === runId);
  if (found?.status === "approved") {
    return { as: "approved", commit: (await runs.show(runId)).headSha, task: found.task };
  }
  /** Why its run begins no turn. */
  let held: "paused" | "limited" | "interrupted" = "interrupted";
  const given = {
    ...engine.optionsOf(spec, nebula),
    ownsTree: true,
    largerControls: engine.controls.ofRuns,
    mayBeginTurn: (role: AgentRole | undefined) => {
      const { steering, agentLimits } = engine;
      if (steering.isStopping) return false;
      const now = engine.now().getTime();
      const isLimited = role !== undefined && agentLimits.stands(given[role].name, now);
      held = steering.isPaused ? "paused" : isLimited ? "limited" : "interrupted";
      return held === "interrupted";
    },
    takeRefactor: (task: string) => textOtherThan(engine, id, task),
    people: phasePeople(engine, id),
    signal,
    onEvent: (event: RunEvent): void => {
      if (event.type === "agent_done") {
        engine.agentLimits.succeeded(given[event.role].name, engine.now().getTime());
      }
      if (event.type === "committed" && event.sha !== undefined) commits.hold(event.sha);
      tell({ type: "run_event", phase: id, event });
    },
  };
  const { retryAt = "", openTurn } = found ?? {};
  if (Date.parse(retryAt) > engine.now().getTime()) {
    const role = openTurn?.role === "reviewer" ? "reviewer" : "coder";
    limited(engine, id, given[role].name, { message: "it is not lifted yet", retryAt });
    return { as: "limited" };
  }
  const start = async (): Promise<RunEnd | undefined> => {
    await prepare(engine, { spec, state });
    // While its tree was made ready, an agent of another phase may have worked.
    if ((await settingsObstacle(engine)) !== undefined) return undefined;
    const task = taskText(nebula, { spec, state }, engine.store.current);
    const maxBudgetUsd = await runBudget(engine, state);
    return runs.start({ ...given, runId, task, maxBudgetUsd, isNew: true });
  };
  // A tree that was made again is another one to git; what all trees share is compared all the same.
  const isAccepted = isMade || engine.controls.accepted.length > 0;
  const accepts = new Set(isAccepted ? (["settings"] as const) : []);
  let end: RunEnd | undefined;
  try {
    end = await (found === undefined ? start() : runs.resume({ ...given, runId, accepts }));
  } catch (error) {
    // What a run refuses for its user's sake is for a person to look at; who works there now is not.
    if (!(error instanceof RunsError) || error.code === "ERR_LOCKED") throw error;
    fail(engine, id, error.message);
    return { as: "settled" };
  }
  await commits.held();
  if (end === undefined) return { as: "interrupted" };
  const { result } = end;
  if (result.outcome === "approved") {
    const { finalCommitSha: commit, checkpoint } = result;
    return { as: "approved", commit, task: checkpoint.taskTitle };
  }
  const blockers = blockingQuestions(result.checkpoint);
  if (result.outcome === "interrupted" && blockers.length > 0) {
    waitForAnswers(engine, id, blockers);
    return { as: "settled" };
  }
  if (engine.signal.aborted) return { as: "interrupted" };
  if (result.outcome === "interrupted" && !late.aborted) {
    return { as: held };
  }
  if (result.agentFailure?.kind === "rate-limit") {
    const { role = "coder" } = result.checkpoint.turn ?? {};
    limited(engine, id, given[role].name, result.agentFailure);
    return { as: "limited" };
  }
  if (!existsSync(join(root, ".git"))) {
    const message = `its work tree ${root} is gone: a resume makes it again`;
    tell({ type: "warning", phase: id, message });
    return { as: "interrupted" };
  }
  fail(engine, id, late.aborted ? `it took longer than ${span(timeoutMs)}` : reasonOf(result));
  return { as: "settled" };
}

/** Has a ref hold what a run commits, one commit after the other: its work tree may be removed, and `git gc` be run. */
function commitHolder(engine: Engine, { ref }: Pick<PhaseState, "ref">) {
  const name = refsOf(engine.store.current.id).work(ref);
  let last = Promise.resolve();
  return {
    hold(sha: string): void {
      last = last.then(() => holdRef(engine, name, sha));
      // It is awaited when the run has ended, unless that fails first.
      last.catch(() => {});
    },
    held: () => last,
  };
}

/** Why a run was not approved, in words of a phase: it is not resumed, but begun again. */
function reasonOf({ outcome, cycle, findings, message }: RunEnd["result"]): string {
  if (outcome !== "max_cycles") return message;
  const [first] = findings;
  const last = first === undefined ? "" : `: ${first.description}`;
  return `not approved in ${count(cycle, "cycle")}${last}`;
}

/** An agent has met its usage limit: no phase has it work until that is lifted. */
function limited(
  engine: Engine,
  phase: string,
  agent: string,
  { message, retryAt }: Pick<AgentFailure, "message" | "retryAt">,
): void {
  const metAt = engine.now().getTime();
  const until = new Date(engine.agentLimits.met(agent, retryAt, metAt)).toISOString();
  note(engine, { type: "agent_limited", phase, agent, until, message });
}

/** What was set apart for the phase when this run was to begin, less what runs before it have cost. */
async function runBudget(engine: Engine, { ref, reservedUsd }: PhaseState): Promise<number> {
  if (reservedUsd === 0) return 0;
  return reservedUsd - (await spentIn(runsFolder(engine.home, ref)));
}

/** Before a run begins the tree holds its base, whatever an earlier attempt has left there: that is kept. */
async function prepare(engine: Engine, { spec, state }: Phase): Promise<void> {
  const { signal } = engine;
  const { ref, base } = state;
  const options = treeOptions(engine, spec, state);
  const { root, gitDir } = await openTree(engine, options);
  const { head } = await currentHead(root, { signal });
  const wasDirty = await keepUncommitted(engine, root, ref);
  const isBusy = (await operationInProgress({ gitDir })) !== undefined;
  if (head === base && !wasDirty && !isBusy) return;
  await moveTree(engine, options);
}

/** What a run is asked now; `undefined` where its task is of the phase's text as the last update has it. */
function textOtherThan(
  { spec: nebula, store }: Engine,
  id: string,
  task: string,
): string | undefined {
  const spec = nebula.phases.find((phase) => phase.id === id);
  if (spec === undefined || isOfText(task, nebula, spec)) return undefined;
  return taskText(nebula, { spec, state: store.phase(id) }, store.current);
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
  const findings = conflicts.map(
    (path) => `[merge] ${path}: it has marks of the merge yet: its conflict is not resolved`,
  );
  await sendBack(engine, id, {
    cause: "merge",
    findings,
    base: tip,
    conflict: { conflictCommit, conflicts },
  });
  return true;
}

/** What was approved is held by a ref, then the phase gets its place in the queue. */
async function freeze(
  engine: Engine,
  state: PhaseState,
  { commit: approved, task }: Approved,
): Promise<void> {
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
  const isOutdated = textOtherThan(engine, id, task) === undefined ? undefined : true;
  report(engine, id, queued, { type: "phase_approved", phase: id, attempt, tip, isOutdated });
}
