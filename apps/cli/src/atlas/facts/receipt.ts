import type { ReceiptStatement, ValidationReceipt } from "@quasar/receipts";
import type { ReceiptChain } from "@quasar/tasks/receipts";
import type { Printed } from "../../shared/schemas/line.ts";
import type * as part from "../schemas/parts.ts";

// Receipts as `--json` has them.

export function receiptFacts(receipt: ValidationReceipt): Printed<typeof part.receipt> {
  const {
    receiptId,
    stepName: step,
    command,
    exitCode,
    startedAt,
    completedAt,
    ...others
  } = receipt;
  const { duration: durationText, stdoutHash: stdoutSha256, ...more } = others;
  const { stderrHash: stderrSha256, ...signed } = more;
  return {
    ...{ receiptId, step, command, exitCode, startedAt, completedAt },
    ...{ durationText, stdoutSha256, stderrSha256, ...signed },
  };
}

export function statementFacts(signed: ReceiptStatement): Printed<typeof part.statement> {
  const { receiptId, workspaceId, taskId, stepName: step, ...others } = signed;
  return { receiptId, workspaceId, taskId, step, ...others };
}

export function chainFacts(chain: ReceiptChain): Printed<typeof part.receiptChain> {
  const { kind, problems: reasons, ...others } = chain;
  return { kind, reasons, ...others };
}
