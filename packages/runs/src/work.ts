import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { createEnvFileRedactor, createRedactor } from "@quasar/agents/environment";
import { type Checkpoint, checkpointPath } from "@quasar/checkpoint";
import { logRange } from "@quasar/git";
import type { LoopEvent, TaskResult } from "@quasar/loop";
import { type Conventions, nextRole } from "@quasar/loop/internal";
import { turnAllowance } from "@quasar/loop/turn";
import { compatibleOf } from "./compatibility.ts";
import { conventionsOf } from "./conventions.ts";
import type { Hold } from "./driving/hold.ts";
import { driverOf } from "./driving/run-driver.ts";
import type { Session } from "./driving/session.ts";
import { messageOf } from "./errors.ts";
import type { Notice, RunBegun, RunEnd, RunLoopEvent, Tell } from "./events.ts";
import { endFact } from "./journal/facts.ts";
import { CONTROLS_FILE } from "./resume/changed-controls.ts";
import type { RunOptions } from "./run-options.ts";
import { packEndedRuns } from "./snapshots/pack.ts";
import {
  noteOutcome,
  notingStore,
  type RememberingStore,
  rememberingStore,
  type RunNotes,
  withNotes,
} from "./store.ts";
import type { Spending } from "./text/format.ts";
import { type DrivenRun, driveRun, type DriveRunOptions } from "./tree/drive-run.ts";
import type { RunStores } from "./tree/stores.ts";
import { makeTurnsFolder } from "./tree/turns-folder.ts";

/** One piece of work of the loop, new or taken up again. */
export interface Work {
  readonly runId: string;
  readonly task: string;
  /** What there is to say of it before it continues. @default nothing */
  readonly notices?: readonly Notice[] | undefined;
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  readonly options: RunOptions;
  readonly stores: RunStores;
  /** What is stored of the run already. @default nothing */
  readonly left?: Checkpoint | undefined;
  /** See {@link DrivenRun.look}. */
  readonly look?: DrivenRun["look"];
  /** See {@link DrivenRun.seen}. */
  readonly seen?: DrivenRun["seen"];
  readonly sealKey: Uint8Array;
  readonly spending: Spending;
  /** The commit that the run began at; `""` where there was none. */
  readonly baseCommit: string;
  readonly untouchablePaths: readonly string[];
  readonly acceptHead?: boolean | undefined;
  readonly acceptBranch?: boolean | undefined;
  readonly acceptSettings?: boolean | undefined;
  /** What was read of them before the run had a folder. @default they are read */
  readonly conventions?: Conventions | undefined;
  /** RFC 3339: when the usage limit is lifted that the run was stopped by, to be waited for first. */
  readonly retryAt?: string | undefined;
}

/** The loop's own defaults, which the first event names. */
const [MAX_CYCLES, MAX_BUDGET_USD] = [3, 5];

/** Has the loop work, and reports what it does and how it ended. */
export async function work(session: Session, work: Work): Promise<RunEnd> {
  const { workspace, tell, hold } = session;
  const { runId, task, spending, left } = work;
  const {
    onEnd,
    settings = {},
    waitLimitMs,
    withoutOwnHook,
    largerControls,
    secretFiles,
    compatibleIn,
    ...given
  } = work.options;
  const maxCycles = given.maxCycles ?? left?.maxCycles ?? MAX_CYCLES;
  const maxBudgetUsd = given.maxBudgetUsd ?? left?.maxBudgetUsd ?? MAX_BUDGET_USD;
  const { root } = workspace;
  tellRun(session, work, { maxCycles, maxBudgetUsd });
  for (const notice of work.notices ?? []) tell(notice);
  const dir = join(workspace.runsDir, runId);
  const notes: RunNotes = { settings, hasUnreportedCosts: spending.hasUnreportedCosts };
  const current = rememberingStore(work.stores.current, left);
  const stores: RunStores = { ...work.stores, current };
  session.onRemoved(() => restoreRun(session, dir, current));
  const redact = createRedactor(process.env);
  const redactFiles = createEnvFileRedactor(root, secretFiles);
  const conventions = await conventionsOf({
    dir,
    workTree: root,
    commit: work.baseCommit,
    read: work.conventions,
    warn: (message) => tell({ type: "warning", cycle: 0, message }),
  });
  const loop: DriveRunOptions["loop"] = {
    ...given,
    workTree: root,
    maxCycles,
    maxBudgetUsd,
    conventions,
    untouchablePaths: work.untouchablePaths,
    acceptHead: work.acceptHead,
    acceptBranch: work.acceptBranch,
    controls: {
      file: join(dir, CONTROLS_FILE),
      withoutOwn: withoutOwnHook,
      accept: work.acceptSettings,
      larger: largerControls,
    },
    redact,
    redactCommit: (text) => redactFiles(redact(text)),
    journal: (event) => session.record(event),
    onEvent: (event) => {
      const isUnreported = event.type === "agent_done" && event.costUsd === undefined;
      if (isUnreported && maxBudgetUsd === 0) notes.hasUnreportedCosts = true;
      tell(told(event));
    },
  };
  const { look, seen, retryAt, sealKey } = work;
  const compatible = compatibleOf(workspace, {
    ...{ sealKey, stores, elsewhere: compatibleIn },
    noting: (store) => notingStore(store, notes),
  });
  const noted = withNotes(notes);
  const run = {
    runId,
    dir,
    stores,
    noted,
    compatible,
    task: { title: task },
    left,
    look,
    seen,
    retryAt,
  };
  const end = await driveRun(run, driverOf(session), {
    loop,
    waitLimitMs,
    onStop: (result, guarded) => note(guarded, notes, result, tell),
    async onEnd(driven) {
      const result = withHolder(driven.result, hold);
      // It is told first: where nothing can be saved any more, that is still known.
      const cycleCommits = await commitsOf(root, result);
      const ended = { ...driven, result: { ...result, cycleCommits } };
      await onEnd?.(ended);
      session.note(endFact(ended));
      return ended;
    },
  });
  if (hold.isHeld()) await packSnapshots(session, end.result.cycle);
  return end;
}

/** The first event: what the run works by, and what it had spent before. */
function tellRun(
  { workspace, tell }: Session,
  { runId, task, branch = "", spending, left, options }: Work,
  { maxCycles, maxBudgetUsd }: Pick<RunBegun, "maxCycles" | "maxBudgetUsd">,
): void {
  const { coder, reviewer, maxTurnBudgetUsd } = options;
  const spent = { totalCostUsd: spending.spentUsd, maxBudgetUsd };
  const turnRole = left === undefined ? "coder" : nextRole({ ...left, maxCycles, maxBudgetUsd });
  const turnBudgetUsd = turnAllowance(spent, turnRole, maxTurnBudgetUsd);
  const agents = { coder: coder.name, reviewer: reviewer.name };
  const limits = { maxCycles, maxBudgetUsd, turnRole, turnBudgetUsd, ...spending };
  tell({ type: "run", runId, task, workTree: workspace.root, branch, ...agents, ...limits });
}

/** A run that has ended is kept by its files alone. What cannot be moved there stays where it is. */
async function packSnapshots({ workspace, hold, tell }: Session, cycle: number): Promise<void> {
  const warn = (message: string): void => tell({ type: "warning", cycle, message });
  try {
    await packEndedRuns(workspace, { before: () => hold.require(), onProblem: warn });
  } catch (error) {
    warn(`snapshots stay in refs/quasar: ${messageOf(error)}`);
  }
}

/** Makes the run's folder anew, for its checkpoint and for the end of a turn that is under way. */
function restoreRun({ tell, syncRecord }: Session, dir: string, store: RememberingStore): void {
  if (existsSync(checkpointPath(dir))) return;
  makeTurnsFolder(dir);
  const save = async (): Promise<void> => {
    syncRecord();
    await store.saveAgain();
  };
  const onError = (error: unknown): void => {
    const message = `the run's checkpoint was removed, and cannot be written again: ${messageOf(error)}`;
    tell({ type: "warning", cycle: 0, message });
  };
  save().catch(onError);
  const message = `the folder of run ${basename(dir)} was removed while it runs: its state is written again`;
  tell({ type: "warning", cycle: 0, message });
}

/** All commits of a run, those of lint fixes and formatting too; the last of each cycle where git cannot say. */
async function commitsOf(
  root: string,
  { baseCommitSha: from, finalCommitSha: to, cycleCommits }: TaskResult,
): Promise<readonly string[]> {
  if (from === "" || to === "") return cycleCommits;
  try {
    return (await logRange(root, { from, to })).map(({ sha }) => sha);
  } catch {
    return cycleCommits;
  }
}

/** Names who drives where this process does not any more. */
function withHolder(result: TaskResult, hold: Hold): TaskResult {
  return result.outcome === "superseded" ? { ...result, message: hold.lost().message } : result;
}

/** That its end cannot be noted does not keep a run from being resumed. */
async function note(
  stores: RunStores,
  notes: RunNotes,
  result: TaskResult,
  tell: Tell,
): Promise<void> {
  try {
    await noteOutcome(stores, notes, result);
  } catch (error) {
    const message = `how the run ended could not be noted: ${messageOf(error)}`;
    tell({ type: "warning", cycle: result.cycle, message });
  }
}

/** An event as data. What it cost is asked for only where it may have changed. */
function told(event: LoopEvent): RunLoopEvent {
  const { state, ...data } = event;
  if (event.type === "agent_event") return data;
  const { totalCostUsd: spentUsd, unknownCostUsd: unknownUsd } = state();
  return { ...data, spentUsd, unknownUsd };
}
