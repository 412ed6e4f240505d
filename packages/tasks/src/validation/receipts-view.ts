import { messageOf } from "../errors.ts";
import type { HookFile } from "@quasar/hookfile";
import { type Verdict, verifyReceipt } from "@quasar/receipts";
import type { KeyRing } from "@quasar/receipts/keys";

/**
 * What verification finds now for each receipt of a hook file, by its id. Never throws: what cannot be
 * read is unverifiable.
 */
export function receiptsView(
  dir: string,
  hook: Pick<HookFile, "receipts" | "taskId" | "workspaceId">,
  keys: KeyRing,
): ReadonlyMap<string, Verdict> {
  const { taskId, workspaceId } = hook;
  const options = { dir, task: { taskId, workspaceId }, keys };
  return new Map(
    hook.receipts.map((receipt) => {
      try {
        return [receipt.receiptId, verifyReceipt(receipt, options)];
      } catch (error) {
        const reason = messageOf(error);
        const signedBy = receipt.keyId;
        const verdict = { kind: "unverifiable", reason, signedBy, keyIds: [], output: "unchecked" };
        return [receipt.receiptId, verdict as Verdict];
      }
    }),
  );
}
