import { ReceiptError } from "./errors.ts";
import * as is from "./fields.ts";
import type { ValidationReceipt } from "./receipt.ts";

export const SIG_ALG = "ed25519-slip10";

/** A receipt of the seed's format. */
export const SEED_VERSION = 1;
/** A receipt with an envelope. */
export const ENVELOPE_VERSION = 2;

const FIELDS: is.Fields<ValidationReceipt> = {
  receiptId: ["receipt_id", is.name],
  stepName: ["step_name", is.text],
  command: ["command", is.text],
  exitCode: ["exit_code", is.exitCode],
  startedAt: ["started_at", is.time],
  completedAt: ["completed_at", is.time],
  duration: ["duration", is.text],
  stdoutHash: ["stdout_hash", is.sha256],
  stderrHash: ["stderr_hash", is.sha256],
  keyPath: ["key_path", is.name],
  keyId: ["key_id", is.keyId],
  sigAlg: ["sig_alg", is.exactly(SIG_ALG)],
  sigVersion: ["sig_version", is.exactly(ENVELOPE_VERSION)],
  signature: ["signature", is.text],
};

/** The seed says nothing of how times and hashes are spelled, and has fewer fields. */
const SEED_FIELDS: is.Fields<ValidationReceipt> = {
  ...FIELDS,
  exitCode: ["exit_code", is.anyExitCode],
  startedAt: ["started_at", is.anyTime],
  completedAt: ["completed_at", is.anyTime],
  stdoutHash: ["stdout_hash", is.text],
  stderrHash: ["stderr_hash", is.text],
  keyPath: ["key_path", is.text],
  keyId: ["key_id", is.text],
  sigVersion: ["sig_version", is.exactly(SEED_VERSION)],
};

const ABSENT_FROM_SEED = { key_path: "", key_id: "", sig_alg: SIG_ALG, sig_version: SEED_VERSION };

/**
 * A receipt as it stands in hook.json, keys in the seed's order.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`, naming the field.
 */
export function encodeReceipt(receipt: ValidationReceipt): Record<string, unknown> {
  return is.toRecord(receipt, receipt.sigVersion === SEED_VERSION ? SEED_FIELDS : FIELDS);
}

/**
 * Reads a receipt from hook.json; one of the Go original's gets the fields that it lacks. Says nothing
 * of its signature: that is for `verifyReceipt`.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`, naming the field that is missing, wrong or unknown.
 */
export function decodeReceipt(json: unknown): ValidationReceipt {
  if (typeof json !== "object" || json === null) {
    throw new ReceiptError("ERR_INVALID_RECEIPT", "a receipt is not an object");
  }
  const isSeed = !("sig_version" in json) || json.sig_version === SEED_VERSION;
  return isSeed
    ? is.fromRecord({ ...ABSENT_FROM_SEED, ...json }, SEED_FIELDS)
    : is.fromRecord(json, FIELDS);
}
