import { isDeepStrictEqual } from "node:util";
import {
  type Change,
  type HookFile,
  type HookFileStore,
  type HookInput,
  type StepRecord,
  transition,
} from "@quasar/hookfile";
import { TasksError } from "../errors.ts";
import type { RunningStep, StepInput, TaskPorts } from "../steps/step.ts";
import { syncTask, withResult } from "../sync-task.ts";
import type { TaskEvent } from "../task-event.ts";
import type { StepResult, TaskRecord } from "../task-record.ts";
import type { EngineParts } from "./parts.ts";

/** One drive of a task: its files as they are now, and who is told of what happens. */
export interface Session {
  readonly taskDir: string;
  readonly ports: TaskPorts;
  readonly parts: EngineParts;
  /** Of whoever drives: aborted, the drive stops where it is. */
  readonly signal: AbortSignal;
  /** Whatever it changes, task.json follows, and new checkpoints are reported. */
  readonly store: HookFileStore;
  /** As the last change or look has left it. */
  hook(): HookFile;
  task(): TaskRecord;
  /** Reads what others have changed. */
  refresh(): HookFile;
  /**
   * Has these happen at once, unless `when` says that their time is over.
   *
   * @returns Whether they have happened.
   */
  fire(inputs: readonly HookInput[], when: (hook: HookFile) => boolean): boolean;
  record(result: StepResult): void;
  /** Calls with the hook file after each change, whoever made it, until what is returned is called. */
  listen(listener: (hook: HookFile) => void): () => void;
  tell(event: TaskEvent): void;
  warn(message: string): void;
}

export interface SessionOptions {
  readonly store: HookFileStore;
  readonly taskDir: string;
  readonly task: TaskRecord;
  readonly hook: HookFile;
  readonly ports: TaskPorts;
  readonly parts: EngineParts;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TaskEvent) => void;
}

export function openSession(options: SessionOptions): Session {
  const { taskDir, ports, parts, signal, onEvent, store: files } = options;
  const { now } = ports;
  const log = parts.files.openLog(taskDir, ports);
  const listeners = new Set<(hook: HookFile) => void>();
  let { hook, task } = options;

  const tell = (event: TaskEvent): void => {
    log.append(event);
    onEvent(event);
  };
  /** The hook file is right; what else says where the task is follows it. */
  const follow = (changed: HookFile): HookFile => {
    hook = changed;
    keep(syncTask(task, hook));
    for (const listener of listeners) listener(hook);
    return hook;
  };
  const keep = (next: TaskRecord): void => {
    if (isDeepStrictEqual(next, task)) return;
    parts.files.write(taskDir, next);
    task = next;
  };
  const store: HookFileStore = {
    ...files,
    update(change) {
      let made: Change | undefined;
      const changed = files.update((before) => (made = change(before)));
      follow(changed);
      for (const checkpoint of made?.checkpoints ?? []) tell({ type: "checkpoint", checkpoint });
      return changed;
    },
  };
  follow(hook);

  return {
    taskDir,
    ports,
    parts,
    signal,
    store,
    hook: () => hook,
    task: () => task,
    refresh() {
      const read = files.read();
      if (read === undefined) throw new TasksError("ERR_NOT_FOUND", `${taskDir}: the task is gone`);
      return follow(read);
    },
    fire(inputs, when) {
      let isTime = false;
      store.update((before) => {
        isTime = when(before);
        return isTime ? transition(before, inputs, { now: now() }) : undefined;
      });
      return isTime;
    },
    record: (result) => keep(withResult(task, result)),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell,
    warn: (message) => tell({ type: "warning", message }),
  };
}

/** What a killed git has left locked must stop no other: to be called before one writes. */
export async function freeGit({ parts, warn }: Session, worktree: string): Promise<void> {
  for (const message of await parts.freeGit(worktree)) warn(message);
}

/** What the executor of a step is given to look at, in a drive. */
export function inputOf(session: Session, step: StepRecord, hook = session.hook()): StepInput {
  return stepInput({ ...session, task: session.task() }, step, hook);
}

/** @throws {TasksError} `ERR_DAMAGED` where task.json does not have the step. */
export function stepInput(
  { taskDir, task, ports, signal }: Pick<StepInput, "taskDir" | "task" | "ports" | "signal">,
  step: StepRecord,
  hook: HookFile,
): StepInput {
  const definition = task.template.find(({ name }) => name === step.name);
  if (definition === undefined) {
    const message = `${taskDir}: task.json has no step ${step.name}, which the hook file has`;
    throw new TasksError("ERR_DAMAGED", message);
  }
  return { taskDir, task, hook, step, definition, worktree: hook.worktreePath, ports, signal };
}

/** Whether the task is still in the attempt that an executor works at. */
export function isAt(step: string, attempt?: RunningStep["attempt"]): (hook: HookFile) => boolean {
  return ({ state, currentStep }) =>
    (state === "step_running" || state === "step_validating") &&
    currentStep?.stepName === step &&
    (attempt === undefined || currentStep.attempt === attempt);
}
