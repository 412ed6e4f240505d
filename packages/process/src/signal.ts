import { hasErrno } from "./errno.ts";

/**
 * Signals a process, or a group where `pid` is negative. One that has gone, or is another user's, is fine.
 *
 * @throws {RangeError} For a number by which the system means others: 0 this process's own group, -1 all
 *   processes; and for the process 1, on which all others hang.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  if (!(Math.abs(pid) > 1)) throw new RangeError(`process ${pid} is not signalled`);
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasErrno(error, "ESRCH", "EPERM")) throw error;
  }
}
