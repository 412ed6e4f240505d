import { existsSync, mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type Checkpoint,
  checkpointPath,
  type CheckpointStore,
  createFileCheckpointStore,
  type FileCheckpointStore,
} from "@quasar/checkpoint";
import { logRange } from "@quasar/git";
import {
  createCheckpointHook,
  type LoopEvent,
  type LoopOptions,
  runFromCheckpoint,
  type TaskResult,
  turnAllowance,
} from "@quasar/loop";
import { afterEnd, createEnvFileRedactor, createRedactor } from "@quasar/agents";
import type { Agents } from "../shared/agents.ts";
import { FOLDER, isRealFolder } from "../shared/config/files.ts";
import { environmentOfChecks, tellWithheld } from "../shared/checks/environment.ts";
import { conventionsOf } from "../shared/conventions.ts";
import { periodMs } from "../shared/config/kinds.ts";
import { checksOf } from "./checks/options.ts";
import type { Settings } from "../shared/config/settings.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { CliError } from "../shared/errors.ts";
import { freeGit } from "./git-locks.ts";
import type { Hold } from "./hold.ts";
import { exitOf, interruptedResult, resultRecord, type Worked } from "./outcome.ts";
import { allowedWords } from "../shared/output/allowed.ts";
import { pricesWords, shellWord, type Spending } from "../shared/output/format.ts";
import type { EventRecord } from "../shared/output/record.ts";
import type { Reporter } from "../shared/output/reporter.ts";
import {
  archivingStore,
  areSettingsStored,
  noteOutcome,
  notingStore,
  rememberingStore,
  type RememberingStore,
  type RunNotes,
  type RunStores,
} from "../shared/runs/store.ts";
import { turnsPath } from "./runs/turn.ts";
import type { Session } from "./session.ts";
import { translate } from "../shared/translate.ts";
import type { Typed } from "../shared/typed.ts";
import { type Waited, Waiter } from "./wait.ts";
import { ignoreOwnFolder } from "./work-tree.ts";
import { repositoryOf, type Workspace } from "../shared/workspace.ts";

/** One piece of work of the loop, new or taken up again. */
export interface Work {
  readonly runId: string;
  readonly task: string;
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  readonly settings: Settings;
  readonly agents: Agents;
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
  /** How a resume was typed: what of it could not be stored is to be typed again. */
  readonly typed?: Typed | undefined;
  /** RFC 3339: when the usage limit is lifted that the run was stopped by, to be waited for first. */
  readonly retryAt?: string | undefined;
}

/** Has the loop work, reports what it does, and says with which code to leave. */
export async function work(
  session: Session,
  work: Work,
  start: (options: LoopOptions) => Promise<TaskResult>,
): Promise<ExitCode> {
  const { workspace, reporter, interrupts } = session;
  const { runId, task, settings, spending } = work;
  const current = rememberingStore(work.stores.current, work.left);
  const stores: RunStores = { ...work.stores, current };
  const { root } = workspace;
  const { maxCycles, maxBudgetUsd, maxTurnBudgetUsd } = settings;
  const spent = { totalCostUsd: spending.spentUsd, maxBudgetUsd };
  const { coder, reviewer } = work.agents;
  reporter.report({
    type: "run",
    runId,
    task,
    workDir: root,
    branch: work.branch ?? "",
    coder: coder.name,
    reviewer: reviewer.name,
    allowed: allowedWords(settings, [...settings.lint, ...settings.filter]),
    prices: pricesWords(settings.prices),
    maxCycles,
    maxBudgetUsd,
    turnBudgetUsd: turnAllowance(spent, "coder", maxTurnBudgetUsd),
    ...spending,
  });
  const notes = { settings, hasUnsaidCosts: spending.hasUnsaidCosts };
  const { hold } = session;
  const store = heldStore(archivingStore(stores, notes), hold);
  const compatible = notingStore(seedStore(workspace, work.sealKey), notes);
  const seed = heldStore(followingStore(root, compatible, stores), hold);
  session.onRemoved(() => restoreRun(session, runId, current));
  const waiter = new Waiter(session, periodMs(settings.waitLimit) ?? 0);
  const redact = createRedactor(process.env);
  const redactFiles = createEnvFileRedactor(root);
  const conventions = await conventionsOf({
    dir: join(workspace.runsDir, runId),
    workTree: root,
    commit: work.baseCommit,
    warn: (message) => reporter.report({ type: "warning", cycle: 0, message }),
  });
  const failed = tellWithheld(settings, (message) =>
    reporter.report({ type: "warning", cycle: 0, message }),
  );
  const options: LoopOptions = {
    workDir: root,
    repository: repositoryOf(workspace),
    runId,
    coder: afterEnd(coder, () => freeGit(session)),
    reviewer: afterEnd(reviewer, () => freeGit(session)),
    maxCycles,
    maxBudgetUsd,
    maxTurnBudgetUsd,
    ...checksOf(settings),
    maxLintRetries: settings.maxLintRetries,
    retries: settings.retries,
    detectStruggle: settings.detectStruggle,
    projectContext: settings.projectContext,
    conventions,
    checkEnv: environmentOfChecks(settings),
    commit: { style: settings.commitStyle },
    untouchablePaths: work.untouchablePaths,
    acceptHead: work.acceptHead,
    acceptBranch: work.acceptBranch,
    turnsDir: turnsFolder(workspace, runId),
    leash: settings.leash,
    redact,
    redactCommit: (text) => redactFiles(redact(text)),
    journal: (event) => session.record(event),
    holdsLock: () => hold.isHeld(),
    checkpoint: { store, granularity: "turn" },
    hooks: [createCheckpointHook({ store: seed })],
    onEvent: (event) => {
      const isUnsaid = event.type === "agent_done" && event.costUsd === undefined;
      if (isUnsaid && maxBudgetUsd === 0) notes.hasUnsaidCosts = true;
      if (event.type === "agent_done") waiter.renew();
      reporter.report(recordOf(event));
      if (event.type === "check_done" && !event.passed) failed(event.name);
    },
    signal: interrupts.signal,
  };
  const worked = await workThroughLimits(
    session,
    { ...work, stores },
    { options, notes, waiter, start },
  );
  const result = withHolder(worked.result, hold);
  const exit = exitOf(result, interrupts.exitCode());
  const isThere = !relative(root, process.cwd()).startsWith("..");
  // It is told first: where nothing can be saved any more, that is still known.
  const cycleCommits = await commitsOf(root, result);
  const told = { ...worked, result: { ...result, cycleCommits } };
  const checked = settings.lint.length + settings.filter.length > 0;
  const typed = (await areSettingsStored(stores, notes)) ? undefined : work.typed;
  reporter.report(resultRecord(told, exit, { folder: isThere ? undefined : root, typed, checked }));
  const warn = (message: string): void =>
    reporter.report({ type: "warning", cycle: result.cycle, message });
  if (!hold.isHeld()) return exit;
  await (result.outcome === "approved"
    ? removeSeed(root, seed, warn)
    : note(stores, notes, result, reporter));
  return exit;
}

/** Makes the run's folder anew, for its checkpoint and for the end of a turn that is under way. */
function restoreRun(session: Session, runId: string, store: RememberingStore): void {
  const { workspace, reporter } = session;
  if (existsSync(checkpointPath(join(workspace.runsDir, runId)))) return;
  turnsFolder(workspace, runId);
  const onError = (error: unknown): void => {
    const message = `the run's checkpoint was removed, and cannot be written anew: ${translate(error).message}`;
    reporter.report({ type: "warning", cycle: 0, message });
  };
  store.saveAgain().catch(onError);
  const message = `the folder of run ${runId} was removed while it runs: its state is written anew`;
  reporter.report({ type: "warning", cycle: 0, message });
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
  { reporter }: Session,
  { stores, retryAt }: Work,
  { options, notes, waiter, start }: Course,
): Promise<Worked> {
  const go = async (): Promise<TaskResult> => runFromCheckpoint(await stored(stores), options);
  let next = start;
  let waited: Waited | undefined;
  if (retryAt !== undefined) waited = await waiter.wait(retryAt, "a usage limit stopped the run");
  for (;;) {
    if (waited?.as === "interrupted") {
      return { result: interruptedResult(await stored(stores)) };
    }
    const result = await next(options);
    if (result.agentFailure?.kind !== "rate-limit") return { result };
    await note(stores, notes, result, reporter);
    const { message, retryAt: until } = result.agentFailure;
    waited = await waiter.wait(until, message);
    if (waited.as === "refused") return { result, limit: waited.message };
    next = go;
  }
}

/** The run as it is stored: after a wait it goes on like after a crash. */
async function stored({ current }: RunStores): Promise<Checkpoint> {
  const loaded = await current.load();
  if (loaded === undefined) throw new CliError("ERR_STATE", "the run's checkpoint has gone");
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
  reporter: Reporter,
): Promise<void> {
  try {
    await noteOutcome(stores, notes, result);
  } catch (error) {
    const message = `how the run ended could not be noted: ${translate(error).message}`;
    reporter.report({ type: "warning", cycle: result.cycle, message });
  }
}

/** An event as data. What it cost is asked for only where it may have changed. */
function recordOf(event: LoopEvent): EventRecord {
  const { state, ...data } = event;
  if (event.type === "agent_event") return data;
  const { totalCostUsd: spentUsd, unknownCostUsd } = state();
  return { ...data, spentUsd, unknownCostUsd };
}

/**
 * The compatibility checkpoint: written only where the run's own is, which a resume takes first; git is told to pass over its folder before each save, since an agent may have cleaned it.
 */
function followingStore(
  root: string,
  store: FileCheckpointStore,
  { current }: RunStores,
): FileCheckpointStore {
  return {
    ...store,
    async save(checkpoint) {
      if ((await current.list()).heads.length === 0) return;
      ignoreOwnFolder(root);
      await store.save(checkpoint);
    },
  };
}

/** Changes nothing where another process drives. */
function heldStore<T extends CheckpointStore>(store: T, hold: Hold): T {
  return {
    ...store,
    async save(checkpoint: Checkpoint) {
      hold.require();
      await store.save(checkpoint);
    },
    async remove(phaseId?: string) {
      hold.require();
      await store.remove(phaseId);
    },
  };
}

/** Where a standalone loop's own file is kept: for other programs that know the format. */
export function seedStore(
  { root, repositoryId }: Workspace,
  sealKey: Uint8Array | undefined,
): FileCheckpointStore {
  return createFileCheckpointStore({ dir: join(root, FOLDER), sealKey, repositoryId });
}

/** A remaining file brings no run back that is kept as ended: a failure spoils nothing. */
async function removeSeed(
  root: string,
  seed: FileCheckpointStore,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await seed.remove();
  } catch (error) {
    const path = checkpointPath(join(root, FOLDER));
    const why = translate(error).message;
    warn(
      `the compatibility checkpoint cannot be removed: ${why}\nRemove it: rm -r ${shellWord(path)}`,
    );
  }
}

/** Takes the seed's file away if it is of this run, so that nothing brings the run back. */
export async function forgetSeed(workspace: Workspace, runId: string): Promise<void> {
  if (!isRealFolder(join(workspace.root, FOLDER))) return;
  const seed = seedStore(workspace, undefined);
  // One that cannot be read is nobody's.
  const loaded = await seed.load().catch(() => undefined);
  if (loaded?.checkpoint.runId === runId) await seed.remove();
}
