import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ids of the processes of a trial: those whose environment names its folder, or that work in it.
 * Found by `/proc`: Linux only.
 */
export function processesOf(root: string): readonly number[] {
  return readdirSync("/proc")
    .filter((pid) => /^\d+$/u.test(pid) && Number(pid) !== process.pid && belongs(pid, root))
    .map(Number);
}

/** Whether a process of a trial was started with an argument, or with what begins with it. */
export function isAtWork(root: string, argument: string): boolean {
  return processesOf(root).some((pid) => argumentsOf(pid).some((one) => one.startsWith(argument)));
}

function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function belongs(pid: string, root: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/environ`).includes(root)) return true;
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(root);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** An error that means: the process has gone, or is another user's and so not one of ours. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ESRCH" || code === "EACCES" || code === "EPERM";
}

/** Ends all of a trial's processes; resolves when none is left. */
export async function endProcesses(root: string): Promise<void> {
  for (;;) {
    const left = processesOf(root);
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
    await sleep(5);
  }
}

/** Resolves when all of a trial's processes have ended by themselves, or the time is over. */
export async function endOfProcesses(root: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (processesOf(root).length > 0 && performance.now() < deadline) await sleep(50);
}
