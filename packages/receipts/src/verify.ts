import { DurableError, readWholeFile } from "@quasar/durable";
import { type Judgement, judgeReceipt } from "./judge.ts";
import { messageOf, ReceiptError } from "./errors.ts";
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
 * What is wrong with the receipt is in the verdict; only keys that cannot be read and system errors
 * are thrown.
 *
 * @throws {ReceiptError} `ERR_DAMAGED_KEY`; `ERR_UNSAFE_KEY`.
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
  const { dir, task, keys } = options;
  let paths: ReceiptPaths;
  let bytes: Uint8Array | undefined;
  try {
    paths = receiptPaths(dir, receipt.receiptId);
    bytes = readWholeFile(paths.envelope, { maxBytes: MAX_FILE_BYTES });
  } catch (error) {
    if (!(error instanceof ReceiptError || error instanceof DurableError)) throw error;
    return { verdict: { kind: "invalid", reason: messageOf(error), output: "unchecked" } };
  }
  return withOutput(receipt, judgeReceipt(receipt, bytes, task, keys), paths);
}

function withOutput(
  receipt: ValidationReceipt,
  { verdict, statement }: Judgement,
  paths: ReceiptPaths,
): InspectedReceipt {
  const stdout = { sha256: receipt.stdoutHash, bytes: statement?.stdoutBytes };
  const stderr = { sha256: receipt.stderrHash, bytes: statement?.stderrBytes };
  return { verdict: { ...verdict, output: judgeOutputs(paths, stdout, stderr) }, statement };
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
