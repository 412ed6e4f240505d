import type { HookFileStore } from "@quasar/hookfile";
import {
  inspectReceipt,
  type KeyManager,
  listReceipts,
  type TaskName,
  type ValidationReceipt,
} from "@quasar/receipts";
import type { KeyRing } from "@quasar/receipts/keys";
import { receiptsFolder } from "./folder.ts";

/** @throws {ReceiptError} as `KeyManager.recoverHead` does */
export function recoverHead(taskDir: string, task: TaskName, keys: KeyManager): void {
  keys.recoverHead(task, receiptsFolder(taskDir));
}

/**
 * Receipts that were signed before a crash and are not in the hook file, in order: for whoever continues
 * with the task to take in. What is not valid here is not taken in.
 *
 * @throws {HookFileError} `ERR_DAMAGED` where the history breaks off: what it has is not known then.
 */
export function missingReceipts(
  store: Pick<HookFileStore, "read" | "receipts">,
  taskDir: string,
  keys: KeyRing,
): readonly ValidationReceipt[] {
  const hook = store.read();
  if (hook === undefined) return [];
  const task: TaskName = { workspaceId: hook.workspaceId, taskId: hook.taskId };
  const dir = receiptsFolder(taskDir);
  const known = new Set(Array.from(store.receipts(), ({ receiptId }) => receiptId));
  return listReceipts(dir).filter(
    (receipt) =>
      !known.has(receipt.receiptId) &&
      inspectReceipt(receipt, { dir, task, keys }).verdict.kind === "valid",
  );
}
