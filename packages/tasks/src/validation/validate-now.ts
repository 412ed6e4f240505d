import type { ValidationReceipt } from "@quasar/receipts";
import { openKeys } from "./open-keys.ts";
import { holdValidation, validationRunId } from "./hold.ts";
import { validateRound } from "./round.ts";
import type { RoundOptions } from "./round-options.ts";
import type { Round } from "./round-result.ts";

export type ValidateNowOptions = Omit<RoundOptions, "runId" | "findProof" | "onSigned" | "note">;

/** What came of it, and the receipts that the hook file does not have yet, in order. */
export type ValidatedNow = { readonly receipts: readonly ValidationReceipt[] } & (
  | Round
  /** No command is configured: that is no pass. */
  | { readonly kind: "none" }
);

/**
 * Runs all of a task's validation commands, up to the first that fails, and signs what came of each;
 * advances nothing. It is asked for, so nothing is taken as proved.
 *
 * @throws {TasksError} `ERR_LOCKED` where the task is validated already. {ReceiptError} as `signReceipt`
 *   does; "loading key manager: …" before anything is run.
 */
export async function validateNow(options: ValidateNowOptions): Promise<ValidatedNow> {
  const { taskDir, task, ports, tell, signal } = options;
  if (task.config.validation.commands.length === 0) return { kind: "none", receipts: [] };
  openKeys(ports.keys, tell);
  const receipts: ValidationReceipt[] = [];
  const lock = await holdValidation({ taskDir, taskId: task.id, waits: false, signal });
  try {
    const round = await validateRound({
      ...options,
      runId: validationRunId(task.id),
      note: () => {},
      onSigned: (receipt) => receipts.push(receipt),
    });
    return { ...round, receipts };
  } finally {
    lock.release();
  }
}
