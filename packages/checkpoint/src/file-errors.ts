import { DurableError } from "@quasar/durable";
import { CheckpointError, type CheckpointErrorCode } from "./errors.ts";

const damage: ReadonlySet<CheckpointErrorCode> = new Set([
  "ERR_DAMAGED",
  "ERR_INVALID_CHECKPOINT",
  "ERR_TOO_LARGE",
]);

/** Whether a file is of no use to anybody: what it says will not get better by waiting. */
export function isDamage(error: unknown): boolean {
  return error instanceof CheckpointError && damage.has(error.code);
}

export function isOtherVersion(error: unknown): error is CheckpointError {
  return error instanceof CheckpointError && error.code === "ERR_INCOMPATIBLE_VERSION";
}

/** What kept a file from being loaded, by the newest generation's reason, naming the others. */
export function unusable(name: string, error: unknown): CheckpointError {
  const generations = error instanceof DurableError && error.cause instanceof AggregateError;
  const reasons: readonly unknown[] = generations
    ? (error.cause as AggregateError).errors
    : [error];
  const message = [...new Set(reasons.map(messageOf))].join("; before it: ");
  return new CheckpointError(codeOf(reasons[0]), `${name}: ${message}`, { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): CheckpointErrorCode {
  if (error instanceof CheckpointError) return error.code;
  if (!(error instanceof DurableError)) return "ERR_UNREADABLE";
  if (error.code === "ERR_TOO_LARGE") return "ERR_TOO_LARGE";
  return error.code === "ERR_UNSAFE_DIRECTORY" ? "ERR_UNREADABLE" : "ERR_DAMAGED";
}

/** Throws what a change of the disk throws as a {@link CheckpointError}. */
export function acknowledged<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError("ERR_NOT_DURABLE", messageOf(error), { cause: error });
  }
}
