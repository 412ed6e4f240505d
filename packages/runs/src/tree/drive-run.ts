import { afterEnd } from "@quasar/agents/turns";
import type { Checkpoint, FileCheckpointStore } from "@quasar/checkpoint";
import {
  createCheckpointHook,
  type Hook,
  type LoopOptions,
  type RunRepository,
  runFromCheckpoint,
  runTask,
  type Task,
  type TaskResult,
} from "@quasar/loop";
import { resumeTurn, runTurn, type TurnKind } from "@quasar/loop/turn";
import { messageOf, RunsError } from "../errors.ts";
import type { RunEnd } from "../events.ts";
import { interrupted } from "../interrupted.ts";
import { type Waited, Waiter, type WaitingDriver } from "../limits/wait.ts";
import { type CompatibilityCheckpoint, removeCompatible } from "./compatible.ts";
import { freeGit, type TreeDriver } from "./git-locks.ts";
import { archivingStore, guardedStore, type RunStores } from "./stores.ts";
import { makeTurnsFolder } from "./turns-folder.ts";

/** One run of agents, new or taken up again. Its files lie in a folder that the caller names. */
export interface DrivenRun {
  readonly runId: string;
  /** The folder: of its checkpoint, its archive and its turns. */
  readonly dir: string;
  readonly stores: RunStores;
  /** What is stored of a checkpoint. @default as it is */
  readonly noted?: ((checkpoint: Checkpoint) => Checkpoint) | undefined;
  /** Written beside the run's own, until the run is approved. @default none */
  readonly compatible?: CompatibilityCheckpoint | undefined;
  readonly task: Task;
  /** Which turn it is by itself. @default none: a loop */
  readonly turn?: TurnKind | undefined;
  /** What is stored of it. @default nothing: it begins */
  readonly left?: Checkpoint | undefined;
  /** What was just seen of its work tree, where nobody can have changed it since. @default git is asked */
  readonly look?: RunRepository["look"];
  /** The same where it begins. @default git is asked */
  readonly seen?: RunRepository["seen"];
  /** RFC 3339: when the usage limit is lifted that has stopped it, to be waited for first. @default none */
  readonly retryAt?: string | undefined;
}

/** The driver of a run, which holds the lock of its work tree. */
export interface RunDriver extends TreeDriver, WaitingDriver {
  /** Throws where nothing may be stored: another process drives, or what happened is not on record. */
  beforeSave(): void;
  warn(message: string): void;
}

/** What of a loop's options follows from the run and its driver. */
type Given = "repository" | "runId" | "turnsDir" | "checkpoint" | "hooks" | "holdsLock" | "signal";

export interface DriveRunOptions {
  readonly loop: Omit<LoopOptions, Given>;
  /** How long usage limits may be waited for before a turn succeeds again, in milliseconds. @default 0 */
  readonly waitLimitMs?: number | undefined;
  /** Milliseconds after which the agents are interrupted; waits at usage limits do not count. @default never */
  readonly timeoutMs?: number | undefined;
  /** The run has stopped without being approved: before a wait, and at the end. @default nothing is done */
  readonly onStop?: ((result: TaskResult, stores: RunStores) => Promise<void>) | undefined;
  /**
   * It is known how the run has ended, which nothing that is stored says yet.
   *
   * @returns How it is reported. @default as it is
   */
  readonly onEnd?: ((end: DrivenEnd) => Promise<DrivenEnd>) | undefined;
}

/** How a driven run ended, approved or not. */
export interface DrivenEnd extends RunEnd {
  /** Its own time was up, and nobody else interrupted it. */
  readonly isLate: boolean;
}

/**
 * Drives a run to its end: each step is stored before it counts, and a usage limit is waited for as long as it may
 * be. After a wait it continues from what is stored, as after a crash.
 *
 * Call it under the lock of the work tree. Where that is lost nothing more is stored, removed or ended.
 *
 * @throws {RunsError} `ERR_UNSAFE_PATH` where the folder of its turns is none; what the loop throws.
 * @see SPEC.md, "Driving a run"
 */
export async function driveRun(
  run: DrivenRun,
  driver: RunDriver,
  { loop, waitLimitMs = 0, timeoutMs, onStop, onEnd = asItIs }: DriveRunOptions,
): Promise<DrivenEnd> {
  const { runId, dir, noted } = run;
  const { repository, holdsLock, beforeSave } = driver;
  const guarded = (store: FileCheckpointStore) => guardedStore(store, beforeSave);
  const stores = { current: guarded(run.stores.current), archive: guarded(run.stores.archive) };
  const compatible = run.compatible && { ...run.compatible, store: guarded(run.compatible.store) };
  const free = () => freeGit(driver);
  const waiter = new Waiter(driver, waitLimitMs);
  const options: Driven = {
    ...loop,
    ...{ repository, runId, holdsLock },
    coder: afterEnd(loop.coder, free),
    reviewer: afterEnd(loop.reviewer, free),
    turnsDir: makeTurnsFolder(dir),
    checkpoint: { store: archivingStore(stores, noted), granularity: "turn" },
    hooks: compatible === undefined ? [] : [hookOf(compatible, loop, driver)],
    onEvent: (event) => {
      if (event.type === "agent_done") waiter.renew();
      loop.onEvent?.(event);
    },
  };
  const drive = { options, waiter, timeoutMs, onStop };
  const end = await onEnd(await goThroughLimits({ ...run, stores }, driver, drive));
  if (!holdsLock()) return end;
  if (end.result.outcome !== "approved") await onStop?.(end.result, stores);
  else if (compatible !== undefined) await removeCompatible(compatible, driver.warn);
  return end;
}

function hookOf(
  compatible: CompatibilityCheckpoint,
  { now }: Pick<LoopOptions, "now">,
  { warn }: Pick<RunDriver, "warn">,
): Hook {
  return createCheckpointHook({ ...compatible, now, onError: (error) => warn(messageOf(error)) });
}

const asItIs = async (end: DrivenEnd): Promise<DrivenEnd> => end;

type Driven = LoopOptions & { readonly repository: RunRepository };

interface LimitedDrive extends Pick<DriveRunOptions, "timeoutMs" | "onStop"> {
  readonly options: Driven;
  readonly waiter: Waiter;
}

/** Has the run work, and again after each usage limit that is waited for. */
async function goThroughLimits(
  run: DrivenRun,
  { signal }: RunDriver,
  { options, waiter, timeoutMs, onStop }: LimitedDrive,
): Promise<DrivenEnd> {
  const { stores, retryAt } = run;
  let waited: Waited = { as: "over" };
  let next = run;
  let given = options;
  if (retryAt !== undefined) waited = await waiter.wait(retryAt, "a usage limit stopped the run");
  for (;;) {
    if (waited.as === "interrupted") {
      return { result: interrupted(await stored(stores)), isLate: false };
    }
    const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const until = deadline === undefined ? signal : AbortSignal.any([signal, deadline]);
    const result = await begin(next, { ...given, signal: until });
    if (result.agentFailure?.kind !== "rate-limit") {
      const isInterrupted = result.outcome === "interrupted" && !signal.aborted;
      return { result, isLate: isInterrupted && deadline?.aborted === true };
    }
    await onStop?.(result, stores);
    waited = await waiter.wait(result.agentFailure.retryAt, result.agentFailure.message);
    if (waited.as === "refused") return { result, limit: waited.message, isLate: false };
    // What the caller saw of the tree, and left out of the checkpoint, was of before the wait.
    next = { ...run, left: await stored(stores), look: undefined, seen: undefined };
    // What a person has accepted was before the wait, too.
    given = { ...options, controls: options.controls && { ...options.controls, accept: false } };
  }
}

/** In a loop, or in a turn by itself. */
function begin(run: DrivenRun, driven: Driven): Promise<TaskResult> {
  const { task, turn, left, look, seen } = run;
  const options = { ...driven, repository: { ...driven.repository, look, seen } };
  if (turn === undefined) {
    return left === undefined ? runTask(task, options) : runFromCheckpoint(left, options);
  }
  return left === undefined ? runTurn(turn, task, options) : resumeTurn(turn, left, options);
}

async function stored({ current }: RunStores): Promise<Checkpoint> {
  const loaded = await current.load();
  if (loaded === undefined) throw new RunsError("ERR_STATE", "the run's checkpoint has gone");
  return loaded.checkpoint;
}
