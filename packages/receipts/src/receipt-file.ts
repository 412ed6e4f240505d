import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { type Envelope, envelopeFromRecord, envelopeToRecord } from "./dsse.ts";
import { ReceiptError } from "./errors.ts";
import { parseJson } from "./fields.ts";

/** A receipt's file: the signed statement, and the certificates of the keys below the account's. */
export interface ReceiptFile {
  readonly statement: Envelope;
  readonly taskCertificate: Envelope;
  readonly receiptCertificate: Envelope;
}

export const MAX_FILE_BYTES = 2 ** 20;

/**
 * One line of JSON: a DSSE envelope with `certificates` beside the signature.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT` over 1 MiB.
 */
export function encodeReceiptFile(file: ReceiptFile): Buffer {
  const certificates = [file.taskCertificate, file.receiptCertificate].map(envelopeToRecord);
  const record = { ...envelopeToRecord(file.statement), certificates };
  const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  throw new ReceiptError("ERR_INVALID_RECEIPT", `it has ${bytes.length} bytes, 1 MiB is allowed`);
}

/**
 * Reads what {@link encodeReceiptFile} wrote, byte for byte: there is one spelling of a receipt.
 *
 * @throws {ReceiptError} `ERR_INVALID_RECEIPT`
 */
export function decodeReceiptFile(bytes: Uint8Array): ReceiptFile {
  const { certificates, ...envelope } = { ...(parseJson(bytes) as Record<string, unknown>) };
  const [task, receipt] = Array.isArray(certificates) ? (certificates as readonly unknown[]) : [];
  const file = {
    statement: envelopeFromRecord(envelope),
    taskCertificate: envelopeFromRecord(task),
    receiptCertificate: envelopeFromRecord(receipt),
  };
  if (encodeReceiptFile(file).equals(bytes)) return file;
  throw new ReceiptError("ERR_INVALID_RECEIPT", "its file is not as we would write it");
}

/** What the next receipt says of this one. */
export function fileDigest(bytes: Uint8Array): string {
  return hash("sha256", bytes);
}
