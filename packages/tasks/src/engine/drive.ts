import { randomUUID } from "node:crypto";
import type { Lock } from "@quasar/durable";
import {
  type HookFile,
  type HookFileStore,
  type HookFileStoreOptions,
  isTerminal,
} from "@quasar/hookfile";
import { readGitFacts, startIntervalCheckpoints } from "@quasar/hookfile/checkpoints";
import { isSetUp } from "@quasar/hookfile/internal";
import { claimTask, detectAndRecover, lockTask } from "@quasar/hookfile/recovery";
import { isAgentsStep } from "../agents-step.ts";
import { messageOf, TasksError } from "../errors.ts";
import { lockedBy } from "../locked-by.ts";
import type { TaskPorts } from "../steps/step.ts";
import type { TaskEvent } from "../task-event.ts";
import type { TaskRecord } from "../task-record.ts";
import { adoptReceipts } from "./adopt-receipts.ts";
import { explained, stopReasonOf } from "./failures.ts";
import { inspectorOf } from "./inspect.ts";
import type { EngineParts } from "./parts.ts";
import { openSession, type Session } from "./session.ts";
import { type StopReason, stopReasonFor } from "./stop-reason.ts";
import { goThroughStates } from "./states.ts";
import { takeGitHook } from "./git-hook.ts";
import { reportIdle } from "./rest.ts";
import { type HeldTree, holdTree, isKept } from "./tree.ts";
import { verdictsFor } from "./verdicts.ts";
import { startWatch } from "./watch.ts";

export interface DriveOptions {
  readonly taskDir: string;
  readonly ports: TaskPorts;
  /** Must not throw. */
  readonly onEvent: (event: TaskEvent) => void;
  /** Stops the drive where it is; the next one continues. */
  readonly signal: AbortSignal;
  /**
   * Told, once the task's lock is this process's, how to ask whether another process has taken it since: then
   * the task's agents are that one's. `lostLock` returns the error that the drive ends with. Must not throw.
   */
  readonly onLocked?: ((lostLock: () => TasksError | undefined) => void) | undefined;
}

export interface DriveResult extends StopReason {
  readonly hook: HookFile;
  readonly task: TaskRecord;
}

/** Takes a task from where it is to its end, or to where it cannot continue by itself. */
export type DriveTask = (options: DriveOptions) => Promise<DriveResult>;

/** The engine, of these parts. */
export function createEngine(parts: EngineParts): DriveTask {
  return (options) =>
    explained(options.taskDir, async () => {
      const { taskDir } = options;
      const task = parts.files.read(taskDir); // where there is none, no lock's file is made
      const lock = lockedBy("drives the task", () => lockTask(taskDir));
      try {
        return await driveLocked({ ...options, parts, task, lock });
      } finally {
        lock.release();
      }
    });
}

interface Locked extends DriveOptions {
  readonly parts: EngineParts;
  readonly task: TaskRecord;
  /** Of the task. */
  readonly lock: Lock;
}

async function driveLocked(locked: Locked): Promise<DriveResult> {
  const { taskDir, task, ports, parts, signal } = locked;
  const { now, version } = ports;
  const storing = { dir: taskDir, now, version, ...verdictsFor(locked) };
  const files = parts.openStore(storing);
  const seen = files.read();
  if (seen === undefined) throw noTask(taskDir);
  const tree = holdTree(parts, seen.taskId);
  const holdsLock = (): boolean => isKept(locked.lock) && tree.isKept();
  const store = heldStore(files, holdsLock);
  locked.onLocked?.(() => (holdsLock() ? undefined : superseded(taskDir)));
  if (isAtRest(seen)) {
    // What a crash has kept from being written is: whoever waits reads HOOK.md next.
    const hook = store.open()?.hook ?? seen;
    return rest(openSession({ ...locked, store, hook }), task);
  }

  try {
    if (isSetUp(seen)) await tree.lock(seen.worktreePath);
    const hook = await detect(locked, storing, seen);
    const session = openSession({ ...locked, ports: { ...ports, holdsLock }, store, hook });
    if (isAtRest(hook)) return await rest(session, task);
    return await driveOn(session, locked.lock, tree);
  } catch (error) {
    const stopReason = stopReasonOf(error, signal);
    if (stopReason === undefined) throw error;
    return { ...stopReason, hook: store.read() ?? seen, task: parts.files.read(taskDir) };
  } finally {
    tree.release();
  }
}

/** Changes nothing once another process has the lock of the task, or of its work tree. */
function heldStore(store: HookFileStore, holdsLock: () => boolean): HookFileStore {
  return {
    ...store,
    update(change) {
      if (!holdsLock()) throw superseded(store.dir);
      return store.update(change);
    },
  };
}

/** That another process has taken a lock of the task while this one drove it. */
function superseded(taskDir: string): TasksError {
  const message =
    `${taskDir}: a lock of the task was removed while it was driven, and another process has taken it; ` +
    "this one stopped, and changed nothing more";
  return new TasksError("ERR_LOCKED", message);
}

function noTask(taskDir: string): TasksError {
  return new TasksError("ERR_NOT_FOUND", `${taskDir}: there is no task`);
}

/** Whether a drive that comes to this state has nothing to do. */
function isAtRest({ state }: HookFile): boolean {
  return state === "awaiting_human" || isTerminal(state);
}

/**
 * A task that was found at rest. It is reported only where task.json did not know: then a crash came before
 * anybody was notified, or a person's decision has ended the task.
 */
async function rest(session: Session, before: TaskRecord): Promise<DriveResult> {
  const { hook, task } = session;
  const isNews = task().status !== before.status;
  const stopped = isNews ? await reportIdle(session) : stopReasonFor(hook());
  if (isTerminal(hook().state)) await takeGitHook(session);
  return { ...stopped, hook: hook(), task: task() };
}

/**
 * The task as it is to be resumed: `recovering` where the last drive was interrupted.
 *
 * @throws {TasksError} `ERR_LOCKED` where somebody may work on it without an engine.
 */
async function detect(
  { taskDir, task, ports, parts, lock, signal }: Locked,
  storing: HookFileStoreOptions,
  seen: HookFile,
): Promise<HookFile> {
  // A task that was only created has no owner, and nobody has left it in the middle of something.
  if (seen.state === "initializing" && seen.owner === undefined) return seen;
  const inspect = inspectorOf(parts, { taskDir, task, ports });
  const found = await detectAndRecover(taskDir, { ...storing, lock, inspect, signal });
  if (found.kind === "corrupt") throw found.error;
  if (found.kind === "running" && !isLeft(found.hook)) throw unattended(found.hook);
  if (found.kind === "absent") throw noTask(taskDir);
  return found.hook;
}

/** Without an owner, in the middle of what only an engine does: no agent can be at it by HOOK.md alone. */
function isLeft(hook: HookFile): boolean {
  return hook.owner === undefined && !isAgentsStep(hook);
}

function unattended({ updatedAt, currentStep }: HookFile): TasksError {
  const step = currentStep === undefined ? "" : ` at step ${currentStep.stepName}`;
  const message =
    `someone may be working on the task${step} without Atlas: ` +
    `the last sign of it is of ${updatedAt}, less than 5 minutes ago`;
  return new TasksError("ERR_LOCKED", message);
}

async function driveOn(session: Session, lock: Lock, tree: HeldTree): Promise<DriveResult> {
  const { store, ports, parts, task } = session;
  const onError = (error: unknown): void => {
    session.warn(messageOf(error));
  };
  const claim = claimTask({ store, lock, runId: randomUUID(), now: ports.now, onError });
  const watch = startWatch(session);
  const ticks = startIntervalCheckpoints({
    store,
    interval: task().config.checkpoints.interval,
    async git(worktree, options) {
      const seen = await watch.look(); // what came before the checkpoint has its own before it
      return seen === undefined
        ? parts.workTreeReader.facts(worktree, options)
        : readGitFacts(worktree, { seen });
    },
    now: ports.now,
    wait: parts.wait,
    onError,
  });
  try {
    adoptReceipts(session);
    const stopped = await goThroughStates({ session, watch, tree });
    await end();
    return { ...stopped, hook: session.hook(), task: session.task() };
  } finally {
    await end();
  }

  /** May be called again. */
  async function end(): Promise<void> {
    await Promise.all([watch.stop(), ticks.stop()]);
    release(claim, onError);
  }
}

/** The lock is free whatever goes wrong; an owner that stays recorded is found to be gone. */
function release(claim: ReturnType<typeof claimTask>, onError: (error: unknown) => void): void {
  try {
    claim.release();
  } catch (error) {
    onError(error);
  }
}
