import { DurableError, readWholeFile } from "@quasar/durable";
import { ReceiptError } from "./errors.ts";
import { judgeReceipt } from "./judge.ts";
import { judgeOutputs } from "./output.ts";
import type { KeyRing } from "./public-key.ts";
import type { ValidationReceipt, Verdict } from "./receipt.ts";
import { MAX_FILE_BYTES } from "./receipt-file.ts";
import { type ReceiptPaths, receiptPaths } from "./receipt-id.ts";
import type { ReceiptStatement } from "./statement.ts";
import type { TaskName } from "./task-name.ts";

export interface VerifyOptions {
  /** Folder of the receipts' files and of the outputs. */
  readonly dir: string;
  /** Whose receipt it has to be. */
  readonly task: TaskName;
  /** A key manager, or what `pinKeys` returns. */
  readonly keys: KeyRing;
}

/** A verdict, and what was signed where it is `valid` with full coverage. */
export interface InspectedReceipt {
  readonly verdict: Verdict;
  readonly statement?: ReceiptStatement | undefined;
}

/**
 * Judges a receipt of hook.json by its file, its outputs and the public keys. Needs no private key but
 * for receipts of the seed's format, and creates none.
 *
 * Whatever is wrong is in the verdict; only system errors are thrown.
 *
 * @see SPEC.md, "Verification"
 */
export function verifyReceipt(receipt: ValidationReceipt, options: VerifyOptions): Verdict {
  return inspectReceipt(receipt, options).verdict;
}

/** As {@link verifyReceipt}, with what was signed. */
export function inspectReceipt(
  receipt: ValidationReceipt,
  options: VerifyOptions,
): InspectedReceipt {
  return openReceipt(receipt, options).inspected;
}

/** As {@link inspectReceipt}, with the bytes of the receipt's file that were judged. */
export function openReceipt(
  receipt: ValidationReceipt,
  { dir, task, keys }: VerifyOptions,
): { readonly inspected: InspectedReceipt; readonly bytes?: Uint8Array | undefined } {
  let paths: ReceiptPaths;
  let bytes: Uint8Array | undefined;
  try {
    paths = receiptPaths(dir, receipt.receiptId);
    bytes = readWholeFile(paths.envelope, { maxBytes: MAX_FILE_BYTES });
  } catch (error) {
    if (!(error instanceof ReceiptError || error instanceof DurableError)) throw error;
    const verdict = { kind: "invalid", reason: error.message, output: "unchecked" } as const;
    return { inspected: { verdict } };
  }
  const { verdict, statement } = judgeReceipt(receipt, bytes, task, keys);
  const stdout = { sha256: receipt.stdoutHash, bytes: statement?.stdoutBytes };
  const stderr = { sha256: receipt.stderrHash, bytes: statement?.stderrBytes };
  const output = judgeOutputs(paths, stdout, stderr);
  return { inspected: { verdict: { ...verdict, output }, statement }, bytes };
}

/**
 * Whether a receipt shows that a validation need not run again: it passed, on the very tree that is
 * there now, with the very configuration, left the tree as it was, and its outputs are still there.
 */
export function justifiesSkip(
  { verdict, statement }: InspectedReceipt,
  present: { readonly tree: string; readonly configSha256: string },
): boolean {
  return (
    verdict.kind === "valid" &&
    verdict.coverage === "full" &&
    verdict.output === "matches" &&
    statement?.exitCode === 0 &&
    statement.treeBefore === present.tree &&
    statement.treeAfter === present.tree &&
    statement.configSha256 === present.configSha256
  );
}
