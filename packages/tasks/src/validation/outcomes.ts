import type { CrashFacts } from "@quasar/hookfile/recovery";
import {
  inspectReceipt,
  type KeyManager,
  listReceipts,
  receiptPaths,
  type ValidationReceipt,
} from "@quasar/receipts";
import type { TaskRecord } from "../task-record.ts";
import { receiptsFolder } from "./folder.ts";
import { isValidating } from "./hold.ts";
import { tailOf } from "./output.ts";
import { isStartedChanged, listStarted, type StartedCommand } from "./started.ts";

/** A command that was started once, and what is known of its end. */
export interface CommandOutcome extends StartedCommand {
  /**
   * `passed`, `failed`: a valid receipt says so. `running`: it is the newest, and somebody validates.
   * `never_completed`: its run was cut off. `unproved`: there is a receipt that is not valid here, or
   * that says something else.
   */
  readonly outcome: "passed" | "failed" | "running" | "never_completed" | "unproved";
}

export interface OutcomesOptions {
  readonly taskDir: string;
  readonly task: Pick<TaskRecord, "id" | "workspaceId">;
  readonly keys: KeyManager;
}

/**
 * What became of every validation command that a task has ever started, oldest first: known at any
 * time after a crash at any instant.
 */
export function commandOutcomes({
  taskDir,
  task,
  keys,
}: OutcomesOptions): readonly CommandOutcome[] {
  const dir = receiptsFolder(taskDir);
  const name = { workspaceId: task.workspaceId, taskId: task.id };
  const receipts = new Map(listReceipts(dir).map((receipt) => [receipt.receiptId, receipt]));
  const ofReceipt = (receipt: ValidationReceipt): CommandOutcome["outcome"] => {
    const { verdict, statement } = inspectReceipt(receipt, { dir, task: name, keys });
    if (verdict.kind !== "valid") return "unproved";
    if (statement !== undefined && isStartedChanged(dir, statement)) return "unproved";
    return receipt.exitCode === 0 ? "passed" : "failed";
  };
  const started = listStarted(dir);
  const isAtWork = isValidating(taskDir);
  return started.map((each, index) => {
    const receipt = receipts.get(each.receiptId);
    const isNewest = index === started.length - 1;
    const unsigned = isNewest && isAtWork ? "running" : "never_completed";
    return { ...each, outcome: receipt === undefined ? unsigned : ofReceipt(receipt) };
  });
}

/**
 * What is known of a validation that a crash has cut off: the command that never completed, and what it
 * had printed. Nothing where the last command that was started has come to its end.
 */
export function interruptedValidation(
  options: OutcomesOptions & { readonly redact: (text: string) => string },
): Pick<CrashFacts, "validationCmd" | "partialOutput"> {
  const last = commandOutcomes(options).at(-1);
  if (last?.outcome !== "never_completed") return {};
  const { stdout, stderr } = receiptPaths(receiptsFolder(options.taskDir), last.receiptId);
  const partialOutput = tailOf([stdout, stderr], 2000, options.redact);
  return { validationCmd: last.command, partialOutput };
}
