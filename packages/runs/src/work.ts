import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEnd, createEnvFileRedactor, createRedactor } from "@quasar/agents";
import { type Checkpoint, checkpointPath, type CheckpointStore } from "@quasar/checkpoint";
import { logRange } from "@quasar/git";
import {
  createCheckpointHook,
  type LoopEvent,
  type LoopOptions,
  runFromCheckpoint,
  type TaskResult,
  turnAllowance,
} from "@quasar/loop";
import { followingStore, removeSeed, seedStore } from "./compatibility.ts";
import { conventionsOf } from "./conventions.ts";
import { freeGit } from "./driving/git-locks.ts";
import type { Hold } from "./driving/hold.ts";
import type { Session } from "./driving/session.ts";
import { messageOf, RunsError } from "./errors.ts";
import type { RunEnd, RunLoopEvent } from "./events.ts";
import { interrupted } from "./interrupted.ts";
import { endFact } from "./journal/facts.ts";
import { type Waited, Waiter } from "./limits/wait.ts";
import { turnsPath } from "./look/turn.ts";
import { isRealFolder } from "./real-folder.ts";
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
import { archivingStore, guardedStore, type RunStores } from "./tree/stores.ts";
import type { Spending } from "./text/format.ts";
import { repositoryOf, type Workspace } from "./workspace.ts";

/** One piece of work of the loop, new or taken up again. */
export interface Work {
  readonly runId: string;
  readonly task: string;
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  readonly options: RunOptions;
  readonly stores: RunStores;
  /** What is stored of the run already. @default nothing */
  readonly left?: Checkpoint | undefined;
  readonly sealKey: Uint8Array;
  readonly spending: Spending;
  /** The commit that the run began at; `""` where there was none. */
  readonly baseCommit: string;
  readonly untouchablePaths: readonly string[];
  readonly acceptHead?: boolean | undefined;
  readonly acceptBranch?: boolean | undefined;
  /** RFC 3339: when the usage limit is lifted that the run was stopped by, to be waited for first. */
  readonly retryAt?: string | undefined;
}

/** The loop's own defaults, which the first event names. */
const [MAX_CYCLES, MAX_BUDGET_USD] = [3, 5];

/** Has the loop work, and reports what it does and how it ended. */
export async function work(
  session: Session,
  work: Work,
  start: (options: LoopOptions) => Promise<TaskResult>,
): Promise<RunEnd> {
  const { workspace, tell, hold } = session;
  const { runId, task, spending, left } = work;
  const { onEnd, settings = {}, waitLimitMs = 0, ...given } = work.options;
  const maxCycles = given.maxCycles ?? left?.maxCycles ?? MAX_CYCLES;
  const maxBudgetUsd = given.maxBudgetUsd ?? left?.maxBudgetUsd ?? MAX_BUDGET_USD;
  const { coder, reviewer, maxTurnBudgetUsd = 0 } = given;
  const synced = <T extends CheckpointStore>(store: T): T =>
    guardedStore(store, session.syncRecord);
  const current = rememberingStore(synced(work.stores.current), left);
  const stores: RunStores = { current, archive: synced(work.stores.archive) };
  const { root } = workspace;
  const spent = { totalCostUsd: spending.spentUsd, maxBudgetUsd };
  const agents = { coder: coder.name, reviewer: reviewer.name };
  const turnBudgetUsd = turnAllowance(spent, "coder", maxTurnBudgetUsd);
  const limits = { maxCycles, maxBudgetUsd, turnBudgetUsd, ...spending };
  const branch = work.branch ?? "";
  tell({ type: "run", runId, task, workDir: root, branch, ...agents, ...limits });
  const notes: RunNotes = { settings, hasUnsaidCosts: spending.hasUnsaidCosts };
  const store = archivingStore(stores, withNotes(notes));
  const compatible = notingStore(seedStore(workspace, work.sealKey), notes);
  const seed = synced(followingStore(root, compatible, stores));
  session.onRemoved(() => restoreRun(session, runId, current));
  const waiter = new Waiter(session, waitLimitMs);
  const redact = createRedactor(process.env);
  const redactFiles = createEnvFileRedactor(root);
  const conventions = await conventionsOf({
    dir: join(workspace.runsDir, runId),
    workTree: root,
    commit: work.baseCommit,
    warn: (message) => tell({ type: "warning", cycle: 0, message }),
  });
  const unsaved = (error: unknown): void =>
    tell({ type: "warning", cycle: 0, message: messageOf(error) });
  const options: LoopOptions = {
    ...given,
    workDir: root,
    repository: repositoryOf(workspace),
    runId,
    coder: afterEnd(coder, () => freeGit(session)),
    reviewer: afterEnd(reviewer, () => freeGit(session)),
    maxCycles,
    maxBudgetUsd,
    conventions,
    untouchablePaths: work.untouchablePaths,
    acceptHead: work.acceptHead,
    acceptBranch: work.acceptBranch,
    turnsDir: turnsFolder(workspace, runId),
    redact,
    redactCommit: (text) => redactFiles(redact(text)),
    journal: (event) => session.record(event),
    holdsLock: () => hold.isHeld(),
    checkpoint: { store, granularity: "turn" },
    hooks: [createCheckpointHook({ store: seed, onError: unsaved })],
    onEvent: (event) => {
      const isUnsaid = event.type === "agent_done" && event.costUsd === undefined;
      if (isUnsaid && maxBudgetUsd === 0) notes.hasUnsaidCosts = true;
      if (event.type === "agent_done") waiter.renew();
      tell(told(event));
    },
    signal: session.signal,
  };
  const course = { options, notes, waiter, start };
  const worked = await workThroughLimits(session, { ...work, stores }, course);
  const result = withHolder(worked.result, hold);
  // It is told first: where nothing can be saved any more, that is still known.
  const cycleCommits = await commitsOf(root, result);
  const end: RunEnd = { ...worked, result: { ...result, cycleCommits } };
  await onEnd?.(end);
  session.note(endFact(end));
  const warn = (message: string): void => tell({ type: "warning", cycle: result.cycle, message });
  if (!hold.isHeld()) return end;
  await (result.outcome === "approved"
    ? removeSeed(root, seed, warn)
    : note(stores, notes, result, warn));
  await packSnapshots(session, warn);
  return end;
}

/** A run that has ended is kept by its files alone. What cannot be moved there stays where it is. */
async function packSnapshots(
  { workspace, hold }: Session,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await packEndedRuns(workspace, { before: () => hold.require(), onProblem: warn });
  } catch (error) {
    warn(`snapshots stay in refs/quasar: ${messageOf(error)}`);
  }
}

/** Makes the run's folder anew, for its checkpoint and for the end of a turn that is under way. */
function restoreRun(session: Session, runId: string, store: RememberingStore): void {
  const { workspace, tell } = session;
  if (existsSync(checkpointPath(join(workspace.runsDir, runId)))) return;
  turnsFolder(workspace, runId);
  const onError = (error: unknown): void => {
    const message = `the run's checkpoint was removed, and cannot be written anew: ${messageOf(error)}`;
    tell({ type: "warning", cycle: 0, message });
  };
  store.saveAgain().catch(onError);
  const message = `the folder of run ${runId} was removed while it runs: its state is written anew`;
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

interface Course {
  readonly options: LoopOptions;
  readonly notes: RunNotes;
  readonly waiter: Waiter;
  readonly start: (options: LoopOptions) => Promise<TaskResult>;
}

/** Has the loop work, and again after each usage limit that is waited for. */
async function workThroughLimits(
  { tell }: Session,
  { stores, retryAt }: Work,
  { options, notes, waiter, start }: Course,
): Promise<RunEnd> {
  const go = async (): Promise<TaskResult> => runFromCheckpoint(await stored(stores), options);
  let next = start;
  let waited: Waited | undefined;
  if (retryAt !== undefined) waited = await waiter.wait(retryAt, "a usage limit stopped the run");
  for (;;) {
    if (waited?.as === "interrupted") {
      return { result: interrupted(await stored(stores)) };
    }
    const result = await next(options);
    if (result.agentFailure?.kind !== "rate-limit") return { result };
    await note(stores, notes, result, (message) =>
      tell({ type: "warning", cycle: result.cycle, message }),
    );
    const { message, retryAt: until } = result.agentFailure;
    waited = await waiter.wait(until, message);
    if (waited.as === "refused") return { result, limit: waited.message };
    next = go;
  }
}

/** The run as it is stored: after a wait it goes on like after a crash. */
async function stored({ current }: RunStores): Promise<Checkpoint> {
  const loaded = await current.load();
  if (loaded === undefined) throw new RunsError("ERR_STATE", "the run's checkpoint has gone");
  return loaded.checkpoint;
}

/** Where the files of the run's turns go, from which a later resume learns how they ended. */
function turnsFolder(workspace: Workspace, runId: string): string {
  const path = turnsPath(workspace, runId);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  isRealFolder(path);
  return path;
}

/** That its end cannot be noted does not keep a run from being resumed. */
async function note(
  stores: RunStores,
  notes: RunNotes,
  result: TaskResult,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await noteOutcome(stores, notes, result);
  } catch (error) {
    warn(`how the run ended could not be noted: ${messageOf(error)}`);
  }
}

/** An event as data. What it cost is asked for only where it may have changed. */
function told(event: LoopEvent): RunLoopEvent {
  const { state, ...data } = event;
  if (event.type === "agent_event") return data;
  const { totalCostUsd: spentUsd, unknownCostUsd } = state();
  return { ...data, spentUsd, unknownCostUsd };
}
