import { hasErrno } from "./errno.ts";

/** Whether a process has this id, be it one that has ended and whose parent has not taken note. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasErrno(error, "ESRCH");
  }
}
