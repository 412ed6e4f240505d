import { runProgram } from "@quasar/process";
import type { Notice } from "./parts.ts";
import type { TaskPorts } from "../steps/step.ts";

/** Milliseconds that a notification may take. */
const LONGEST = 10_000;
/** Code units of what is said: the system takes no long variable. */
const LONGEST_MESSAGE = 4_000;

/**
 * Runs the command by which a person is told: by `sh -c`, in the work tree, in a process group of its own
 * that is ended after 10 seconds. What is said is in its environment, nothing in its arguments.
 *
 * @returns What went wrong, for a person. Never rejects.
 */
export async function notify(
  { command, worktree, taskId, event, message }: Notice,
  { env }: Pick<TaskPorts, "env">,
  longest = LONGEST,
): Promise<string | undefined> {
  if (command === "") return undefined;
  const said = {
    ATLAS_TASK_ID: taskId,
    ATLAS_EVENT: event,
    ATLAS_MESSAGE: message.replaceAll("\0", "").slice(0, LONGEST_MESSAGE),
  };
  const end = await runProgram(
    { file: "/bin/sh", args: ["-c", command], cwd: worktree, env: { ...env, ...said } },
    { group: "left", timeoutMs: longest, signals: ["SIGKILL"] },
  );
  if (end.kind === "not-started")
    return `the notification command did not start: ${end.error.message}`;
  if (end.stopped === "time") return `the notification command was ended after ${longest} ms`;
  const how = end.exitSignal ?? `exit code ${end.exitCode}`;
  return end.exitCode === 0 ? undefined : `the notification command failed: ${how}`;
}
