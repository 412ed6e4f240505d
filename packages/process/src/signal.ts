import { hasErrno } from "./errno.ts";

/** Signals a process, or a group where `pid` is negative. One that has gone, or is another user's, is fine. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasErrno(error, "ESRCH", "EPERM")) throw error;
  }
}
