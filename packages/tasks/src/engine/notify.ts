import { spawn } from "node:child_process";
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
  const child = spawn("/bin/sh", ["-c", command], {
    cwd: worktree,
    env: {
      ...env,
      ATLAS_TASK_ID: taskId,
      ATLAS_EVENT: event,
      ATLAS_MESSAGE: message.replaceAll("\0", "").slice(0, LONGEST_MESSAGE),
    },
    stdio: "ignore",
    detached: true,
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      if (child.pid !== undefined) endGroup(child.pid);
      resolve(`the notification command was ended after ${longest} ms`);
    }, longest);
    const done = (problem: string | undefined): void => {
      clearTimeout(timer);
      resolve(problem);
    };
    child.on("error", (error) => done(`the notification command did not start: ${error.message}`));
    child.on("exit", (code, signal) => {
      const how = signal ?? `exit code ${code}`;
      done(code === 0 ? undefined : `the notification command failed: ${how}`);
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}
