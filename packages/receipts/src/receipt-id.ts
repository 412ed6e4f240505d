import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ReceiptError } from "./errors.ts";

/** A new id that is fit for a file name: `rcpt-` and 16 hex digits of chance. */
export function newReceiptId(): string {
  return `rcpt-${randomBytes(8).toString("hex")}`;
}

/** Where a receipt and its outputs are kept. */
export interface ReceiptPaths {
  readonly envelope: string;
  readonly stdout: string;
  readonly stderr: string;
}

const plain = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The names of a receipt's files in its folder.
 *
 * @throws {ReceiptError} `ERR_UNSAFE_ID` unless the id is 1 to 100 of `A-Z a-z 0-9 . _ -`, begins with
 *   a letter or digit, and is no device of Windows.
 */
export function receiptPaths(dir: string, receiptId: string): ReceiptPaths {
  if (!plain.test(receiptId) || device.test(receiptId)) {
    const shown = JSON.stringify(receiptId.slice(0, 100));
    throw new ReceiptError("ERR_UNSAFE_ID", `receipt id ${shown} is not fit for a file name`);
  }
  const path = join(dir, receiptId);
  return { envelope: `${path}${ENVELOPE_ENDING}`, stdout: `${path}.out`, stderr: `${path}.err` };
}

export const ENVELOPE_ENDING = ".dsse.json";
