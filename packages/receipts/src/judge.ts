import { Buffer } from "node:buffer";
import {
  CERTIFICATE_TYPE,
  type Certificate,
  certificateDigest,
  decodeCertificate,
} from "./certificate.ts";
import { SEED_VERSION } from "./codec.ts";
import { isSealed } from "./dsse.ts";
import { ReceiptError, type ReceiptErrorCode } from "./errors.ts";
import { formatKeyPath, parseKeyPath } from "./key-path.ts";
import { differenceOf, mirrorOf } from "./mirror.ts";
import type { KeyRing } from "./public-key.ts";
import type { ValidationReceipt, Verdict } from "./receipt.ts";
import { decodeReceiptFile, type ReceiptFile } from "./receipt-file.ts";
import { verifySeedSignature } from "./seed-receipt.ts";
import { decodeStatement, type ReceiptStatement, STATEMENT_TYPE } from "./statement.ts";
import { isSameTask, type TaskName } from "./task-name.ts";

type WithoutOutput<T> = T extends unknown ? Omit<T, "output"> : never;

/** A verdict on the signature alone. */
export type SignatureVerdict = WithoutOutput<Verdict>;

export interface Judged {
  readonly verdict: SignatureVerdict;
  /** What was signed; only where the verdict is `valid`, with full coverage. */
  readonly statement?: ReceiptStatement | undefined;
}

/** Keys that cannot be read say nothing against a receipt. */
const OF_THE_KEYS: readonly ReceiptErrorCode[] = ["ERR_DAMAGED_KEY", "ERR_UNSAFE_KEY"];

/**
 * Judges a receipt by its file's bytes. Neither what they say nor a key that is not to be used makes
 * it throw.
 *
 * @param bytes - `undefined` where there is no file.
 */
export function judgeReceipt(
  receipt: ValidationReceipt,
  bytes: Uint8Array | undefined,
  task: TaskName,
  keys: KeyRing,
): Judged {
  try {
    if (receipt.sigVersion === SEED_VERSION) return { verdict: judgeSeed(receipt, keys) };
    if (bytes === undefined) return { verdict: invalid("its file is missing") };
    return judgeFile(receipt, decodeReceiptFile(bytes), task, keys);
  } catch (error) {
    if (!(error instanceof ReceiptError)) throw error;
    const { code, message: reason } = error;
    if (!OF_THE_KEYS.includes(code)) return { verdict: invalid(reason) };
    return { verdict: { kind: "unverifiable", reason, signedBy: receipt.keyId, keyIds: [] } };
  }
}

function judgeFile(
  receipt: ValidationReceipt,
  file: ReceiptFile,
  task: TaskName,
  keys: KeyRing,
): Judged {
  const statement = decodeStatement(file.statement.payload);
  const contradiction = contradictionIn(receipt, file, statement, task);
  if (contradiction !== undefined) return { verdict: invalid(contradiction) };

  const { keyId } = file.taskCertificate;
  const accounts = keys.accounts();
  const account = accounts.find((key) => key.keyId === keyId);
  if (account === undefined) return { verdict: unverifiable(keyId, keys) };
  if (!isSealed(file.taskCertificate, CERTIFICATE_TYPE, account.publicKey)) {
    return { verdict: invalid("the certificate of the task's key is not the account's") };
  }
  return { verdict: { kind: "valid", coverage: "full" }, statement };
}

/** What is wrong whoever's the account's key is. */
function contradictionIn(
  receipt: ValidationReceipt,
  file: ReceiptFile,
  statement: ReceiptStatement,
  task: TaskName,
): string | undefined {
  const taskKey = decodeCertificate(file.taskCertificate);
  const receiptKey = decodeCertificate(file.receiptCertificate);
  const field = differenceOf(receipt, mirrorOf(file, statement));
  if (field !== undefined) return `its ${field} is not what was signed`;
  if (!isSameTask(statement, task)) return "it is of another task";
  if (!isOfItsPlace(taskKey, receiptKey, statement)) return "its key is not of its place";
  if (certificateDigest(file.taskCertificate) !== statement.taskCertificateSha256) {
    return "the certificate of the task's key was changed";
  }
  if (certificateDigest(file.receiptCertificate) !== statement.receiptCertificateSha256) {
    return "the certificate of the receipt's key was changed";
  }
  if (!isSealed(file.statement, STATEMENT_TYPE, bytesOf(receiptKey))) {
    return "the signature is not of these bytes";
  }
  if (!isSealed(file.receiptCertificate, CERTIFICATE_TYPE, bytesOf(taskKey))) {
    return "the certificate of the receipt's key is not the task's";
  }
  return undefined;
}

/** Whether keys, task and number in the chain belong together. */
function isOfItsPlace(
  taskKey: Certificate,
  receiptKey: Certificate,
  statement: ReceiptStatement,
): boolean {
  const { generation, task, receipt } = parseKeyPath(statement.keyPath);
  return (
    statement.keyPath === formatKeyPath(generation, task, receipt) &&
    receiptKey.path === statement.keyPath &&
    taskKey.path === formatKeyPath(generation, task) &&
    receipt === statement.sequence &&
    isSameTask(taskKey, statement) &&
    isSameTask(receiptKey, statement)
  );
}

function judgeSeed(receipt: ValidationReceipt, keys: KeyRing): SignatureVerdict {
  const isForeign = !keys.accounts().some(({ keyId }) => keyId === receipt.keyId);
  if (receipt.keyId !== "" && isForeign) return unverifiable(receipt.keyId, keys);
  const publicKey = keys.publicKeyAt?.(receipt.keyPath, receipt.keyId);
  if (publicKey === undefined) {
    return unverifiable(receipt.keyId || receipt.keyPath, keys, PRIVATE_KEY_NEEDED);
  }
  return verifySeedSignature(receipt, publicKey)
    ? { kind: "valid", coverage: "partial" }
    : invalid("the signature is not of these fields");
}

function invalid(reason: string): SignatureVerdict {
  return { kind: "invalid", reason };
}

const PRIVATE_KEY_NEEDED = "the seed's format needs its private key, which is not here";

function unverifiable(signedBy: string, keys: KeyRing, why?: string): SignatureVerdict {
  const keyIds = keys.accounts().map(({ keyId }) => keyId);
  const here = keyIds.length === 0 ? "no key is here" : `here: ${keyIds.join(", ")}`;
  const reason = `signed by key ${signedBy}; ${why ?? here}`;
  return { kind: "unverifiable", reason, signedBy, keyIds };
}

function bytesOf(certificate: Certificate): Buffer {
  return Buffer.from(certificate.publicKey, "hex");
}
