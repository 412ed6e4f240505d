import type { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { createOnce, syncFiles } from "@quasar/durable";
import { certificateDigest, certify } from "./certificate.ts";
import { rollForward } from "./chain.ts";
import { seal } from "./dsse.ts";
import { publicKeyOf } from "./ed25519.ts";
import { messageOf, ReceiptError } from "./errors.ts";
import { type ChainHead, EMPTY_CHAIN, headAfter, keepHead, readHead } from "./head.ts";
import { withKeyFolder } from "./key-folder.ts";
import { allocateKeyIndex } from "./key-index.ts";
import type { KeyManager } from "./key-manager.ts";
import { formatKeyPath, stepsTo } from "./key-path.ts";
import { accountOf, type KeyStatus, openMasterKey } from "./master-key.ts";
import { mirrorOf } from "./mirror.ts";
import { digestOutput, type OutputDigest } from "./output.ts";
import type { ValidationReceipt } from "./receipt.ts";
import { encodeReceiptFile, type ReceiptFile } from "./receipt-file.ts";
import { receiptPaths } from "./receipt-id.ts";
import { deriveNode } from "./slip10.ts";
import {
  type CommandRun,
  encodeStatement,
  type ReceiptStatement,
  STATEMENT_TYPE,
} from "./statement.ts";

export interface SignOptions {
  readonly keys: KeyManager;
  /** Folder of the receipts. The outputs are in it already: see `receiptPaths`. */
  readonly dir: string;
}

export interface SignedReceipt {
  /** For hook.json. */
  readonly receipt: ValidationReceipt;
  /** For the trailer of the next commit. */
  readonly head: ChainHead;
  /** `restored` and `created` are worth telling the user. */
  readonly keySource: KeyStatus["source"];
}

/**
 * Signs what a command did, as the next receipt in its task's chain. When this returns, the receipt's
 * file, its outputs and the chain's head are on disk.
 *
 * The outputs are hashed from the files that are kept. A crash midway leaves no receipt, or a whole one
 * that the next signing counts and `listReceipts` finds.
 *
 * @throws {ReceiptError} "loading key manager: …" with the codes of `KeyManager.open`; "signing
 *   receipt: …" with `ERR_INVALID_RECEIPT`, `ERR_UNSAFE_ID`, `ERR_MISSING_OUTPUT`, `ERR_DUPLICATE_ID`,
 *   `ERR_DAMAGED`, `ERR_LOCKED`, or `ERR_NOT_SIGNED` for what the file system refuses.
 */
export function signReceipt(run: CommandRun, { keys, dir }: SignOptions): SignedReceipt {
  const opened = during("loading key manager", () => openMasterKey(keys.dir));
  return during("signing receipt", () => {
    const paths = receiptPaths(dir, run.receiptId);
    const stdout = digestOf(paths.stdout);
    const stderr = digestOf(paths.stderr);
    syncFiles(resolve(dir), [`${run.receiptId}.out`, `${run.receiptId}.err`]);
    return withKeyFolder(keys.dir, () => {
      const { seed, source } = opened;
      const kept = readHead(keys.dir, seed, run) ?? EMPTY_CHAIN;
      const before = rollForward(dir, kept, run, keys);
      const { generation } = accountOf(keys.dir, seed);
      const place = { generation, task: allocateKeyIndex(keys.dir, run), before };
      const { file, statement } = makeReceipt(run, [stdout, stderr], seed, place);
      const bytes = encodeReceiptFile(file);
      if (!createOnce(paths.envelope, bytes)) {
        throw new ReceiptError("ERR_DUPLICATE_ID", `there is a receipt ${run.receiptId} already`);
      }
      const head = headAfter(before, bytes);
      keepHead(keys.dir, seed, run, head);
      return { receipt: mirrorOf(file, statement), head, keySource: source };
    });
  });
}

/** Where a receipt's key is, and which chain it continues. */
interface Place {
  readonly generation: number;
  readonly task: number;
  readonly before: ChainHead;
}

function makeReceipt(
  run: CommandRun,
  [stdout, stderr]: readonly [OutputDigest, OutputDigest],
  seed: Uint8Array,
  { generation, task, before }: Place,
): { file: ReceiptFile; statement: ReceiptStatement } {
  const { workspaceId, taskId } = run;
  const numbers = [generation, task, before.count] as const;
  const keyAt = (depth: 1 | 2 | 3): Buffer => {
    const [first, ...below] = numbers;
    return deriveNode(seed, stepsTo(first, ...below.slice(0, depth - 1))).privateKey;
  };
  const [accountKey, taskKey, receiptKey] = [keyAt(1), keyAt(2), keyAt(3)];
  const certifyKey = (key: Buffer, path: string, issuer: Buffer) =>
    certify({ path, publicKey: publicKeyOf(key).toString("hex"), workspaceId, taskId }, issuer);
  const keyPath = formatKeyPath(...numbers);
  const taskCertificate = certifyKey(taskKey, formatKeyPath(generation, task), accountKey);
  const receiptCertificate = certifyKey(receiptKey, keyPath, taskKey);
  const statement: ReceiptStatement = {
    ...run,
    sequence: before.count,
    previousSha256: before.sha256,
    stdoutSha256: stdout.sha256,
    stdoutBytes: stdout.bytes,
    stderrSha256: stderr.sha256,
    stderrBytes: stderr.bytes,
    keyPath,
    taskCertificateSha256: certificateDigest(taskCertificate),
    receiptCertificateSha256: certificateDigest(receiptCertificate),
  };
  const sealed = seal(receiptKey, STATEMENT_TYPE, encodeStatement(statement));
  return { file: { statement: sealed, taskCertificate, receiptCertificate }, statement };
}

function digestOf(path: string): OutputDigest {
  const digest = digestOutput(path);
  if (digest !== undefined) return digest;
  throw new ReceiptError("ERR_MISSING_OUTPUT", `${path} is no file with the command's output`);
}

/** Names what was being done, as the seed's messages do. */
function during<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const code = error instanceof ReceiptError ? error.code : "ERR_NOT_SIGNED";
    throw new ReceiptError(code, `${what}: ${messageOf(error)}`, { cause: error });
  }
}
