import { type KeyManager, ReceiptError } from "@quasar/receipts";
import type { TaskEvent } from "../task-event.ts";

const NEWS = {
  created: "a key that signs receipts was made: back it up",
  restored: "the key that signs receipts was missing, and was restored from its backup",
} as const;

/**
 * Makes sure, before a command is run, that what comes of it can be signed.
 *
 * @throws {ReceiptError} "loading key manager: …", with the codes of `KeyManager.open`
 */
export function openKeys(keys: KeyManager, tell: (event: TaskEvent) => void): void {
  try {
    const { source } = keys.open();
    if (source !== "loaded") tell({ type: "warning", message: NEWS[source] });
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    const { code, message } = error;
    throw new ReceiptError(code, `loading key manager: ${message}`, { cause: error });
  }
}
