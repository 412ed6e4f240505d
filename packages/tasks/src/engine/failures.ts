import { HookFileError } from "@quasar/hookfile";
import { codeOf, messageOf, TasksError } from "../errors.ts";
import type { StopReason } from "./stop-reason.ts";

/** What a drive makes of an error that is no mistake of ours; `undefined`: it is thrown. */
export function stopReasonOf(error: unknown, signal: AbortSignal): StopReason | undefined {
  if (isDiskFailure(error)) {
    const message = `the disk does not take what is written: ${messageOf(error)}`;
    return { stopped: "storage", message };
  }
  const isAborted = signal.aborted && (error === signal.reason || nameOf(error) === "AbortError");
  return isAborted ? { stopped: "interrupted", message: "it was interrupted" } : undefined;
}

const DISK: readonly unknown[] = ["ERR_NOT_DURABLE", "ENOSPC", "EDQUOT", "EROFS", "EIO"];

/** Of the error, or of what has caused it. */
function isDiskFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return DISK.includes(codeOf(error)) || isDiskFailure(error.cause);
}

/** Reads what a task can continue without: where its old history is damaged, a person is notified. */
export function unlessDamaged<T>(read: () => T, warn: (message: string) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HookFileError) || error.code !== "ERR_DAMAGED") throw error;
    warn(error.message);
    return undefined;
  }
}

/** Says of files that are not what Atlas has written where they are. */
export async function explained<T>(taskDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isDamage = error instanceof HookFileError && error.code === "ERR_DAMAGED";
    if (!isDamage && !DAMAGES.includes(codeOf(error))) throw error;
    const message = `${taskDir}: the task's files are not what was written: ${messageOf(error)}`;
    throw new TasksError("ERR_DAMAGED", message, { cause: error });
  }
}

const DAMAGES: readonly unknown[] = [
  "ERR_NOT_REGULAR",
  "ERR_UNSAFE_DIRECTORY",
  "ERR_TOO_LARGE",
  "ENOTDIR",
  "EISDIR",
  "ELOOP",
];

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}
