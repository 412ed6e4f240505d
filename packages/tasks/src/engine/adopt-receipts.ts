import type { Change, HookFile } from "@quasar/hookfile";
import { withEntries } from "@quasar/hookfile/internal";
import { ReceiptError, type ValidationReceipt } from "@quasar/receipts";
import { unlessDamaged } from "./failures.ts";
import type { Session } from "./session.ts";

/**
 * Takes receipts into the hook file that were signed before a crash and did not get there, and into the kept head
 * of their chain first: what the hook file has, a later resume does not look at.
 */
export function adoptReceipts({ parts, taskDir, ports, store, hook, warn }: Session): void {
  const { workspaceId, taskId } = hook();
  try {
    parts.receipts.recoverHead(taskDir, { workspaceId, taskId }, ports.keys);
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    warn(error.message);
  }
  const missing = () => parts.receipts.missing(store, taskDir, ports.keys);
  store.update((hook) => withReceipts(hook, unlessDamaged(missing, warn) ?? []));
}

/**
 * The hook with receipts that it does not have, each with its step. Which these are is to be found out
 * within the update: somebody else may be taking in the same.
 */
export function withReceipts(
  hook: HookFile,
  receipts: readonly ValidationReceipt[],
): Change | undefined {
  if (receipts.length === 0) return undefined;
  const idsOf = (step: string): readonly string[] =>
    receipts.filter(({ stepName }) => stepName === step).map(({ receiptId }) => receiptId);
  const changed = {
    ...withEntries(hook, { receipts }),
    steps: hook.steps.map((step) => {
      return { ...step, receiptIds: [...step.receiptIds, ...idsOf(step.name)] };
    }),
  };
  return { hook: changed, events: [], receipts };
}
