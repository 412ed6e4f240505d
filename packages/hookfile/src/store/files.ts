import { join } from "node:path";
import { HookFileError } from "../errors.ts";

/** The names within a task's folder. */
export const TASK_FILES = {
  /** The task's own record, which the hook file's store never touches: template, steps, outcomes. */
  task: "task.json",
  /** JSON lines. */
  log: "task.log",
  hook: "hook.json",
  hookMd: "HOOK.md",
  /** A folder. */
  history: "history",
  /** Says that the task was removed, and what it was: where it is, there is no task. */
  tombstone: "tombstone.json",
  hookLock: "hook.lock",
  runLock: "run.lock",
  /** Of whoever drives the task: `{ "run_id": …, "beat_at": … }`. */
  heartbeat: "heartbeat.json",
  /** A folder: what a removed task's files held. */
  archive: "archive",
  /** A folder: changed hook files that a person has seen. */
  quarantine: "quarantine",
  /** A folder. */
  inbox: "inbox",
  /** A folder. */
  artifacts: "artifacts",
} as const;

const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * The folder of a task: `<home>/workspaces/<workspace>/tasks/<task>`. Nothing is looked up or made.
 *
 * @param home - `~/.atlas`, or what `ATLAS_HOME` says.
 * @throws {HookFileError} `ERR_UNSAFE_ID` unless both ids are 1 to 100 of `A-Z a-z 0-9 . _ -` and begin
 *   with a letter or digit: they may come from anywhere.
 */
export function taskFolder(home: string, workspaceId: string, taskId: string): string {
  return join(home, "workspaces", segment(workspaceId), "tasks", segment(taskId));
}

function segment(id: string): string {
  if (plain.test(id)) return id;
  const shown = JSON.stringify(id.slice(0, 100));
  throw new HookFileError("ERR_UNSAFE_ID", `the id ${shown} is not fit for a folder's name`);
}
