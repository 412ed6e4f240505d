import { encodeReceipt, ENVELOPE_VERSION, SIG_ALG } from "./codec.ts";
import { durationText } from "./duration.ts";
import type { ValidationReceipt } from "./receipt.ts";
import type { ReceiptFile } from "./receipt-file.ts";
import type { ReceiptStatement } from "./statement.ts";

/** What hook.json says of a receipt: all of it follows from the receipt's file. */
export function mirrorOf(file: ReceiptFile, statement: ReceiptStatement): ValidationReceipt {
  const { receiptId, stepName, command, exitCode, startedAt, completedAt, keyPath } = statement;
  return {
    receiptId,
    stepName,
    command,
    exitCode,
    startedAt,
    completedAt,
    duration: durationText(statement.durationMs),
    stdoutHash: statement.stdoutSha256,
    stderrHash: statement.stderrSha256,
    keyPath,
    keyId: file.taskCertificate.keyId,
    sigAlg: SIG_ALG,
    sigVersion: ENVELOPE_VERSION,
    signature: file.statement.signature.toString("hex"),
  };
}

/** The first key in which a receipt differs from what was signed; one that is unknown, too. */
export function differenceOf(a: ValidationReceipt, b: ValidationReceipt): string | undefined {
  const unknown = Object.keys(a).find((key) => !Object.hasOwn(b, key));
  if (unknown !== undefined) return JSON.stringify(unknown.slice(0, 64));
  const other = encodeReceipt(b);
  return Object.entries(encodeReceipt(a)).find(([key, value]) => other[key] !== value)?.[0];
}
