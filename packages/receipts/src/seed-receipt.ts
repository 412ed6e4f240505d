import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { isSignature } from "./ed25519.ts";
import { ReceiptError } from "./errors.ts";
import type { ValidationReceipt } from "./receipt.ts";

/** Six of a receipt's fields: what the seed signs, by way of its SHA-256. */
export function seedMessage(receipt: ValidationReceipt): Buffer {
  const { receiptId, command, exitCode, stdoutHash, stderrHash, completedAt } = receipt;
  const seconds = Math.floor(Date.parse(completedAt) / 1000);
  const parts = [receiptId, command, exitCode, stdoutHash, stderrHash, seconds];
  return createHash("sha256").update(parts.join("|")).digest();
}

/**
 * Whether a receipt's signature is one of the seed's format by this key; `false` where any of the six
 * fields was changed.
 *
 * The format is weak: a `|` within a field moves the border between two, and the step, the start and
 * the duration are not covered.
 *
 * @throws {ReceiptError} `ERR_MALFORMED_SIGNATURE` where the signature is not hex.
 */
export function verifySeedSignature(receipt: ValidationReceipt, publicKey: Uint8Array): boolean {
  const signature = decodeSignature(receipt.signature);
  return isSignature(signature, publicKey, seedMessage(receipt));
}

function decodeSignature(hex: string): Buffer {
  if (/^(?:[0-9a-f]{2})*$/i.test(hex)) return Buffer.from(hex, "hex");
  throw new ReceiptError("ERR_MALFORMED_SIGNATURE", "the signature is not hex");
}
