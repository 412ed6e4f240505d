import { Buffer } from "node:buffer";
import { createHmac, hash, hkdfSync, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { DurableError, loadFile, replaceFile } from "@quasar/durable";
import { keyIdOf, publicKeyOf } from "./ed25519.ts";
import { ReceiptError } from "./errors.ts";
import * as is from "./fields.ts";
import { stepsTo } from "./key-path.ts";
import { fileDigest } from "./receipt-file.ts";
import { deriveNode } from "./slip10.ts";
import { isSameTask, TASK_FIELDS, type TaskName } from "./task-name.ts";

/** How long a task's chain of receipts is, and what its last receipt is. */
export interface ChainHead {
  readonly count: number;
  /** SHA-256 of the last receipt's file; 64 zeros where there is none. */
  readonly sha256: string;
}

export const EMPTY_CHAIN: ChainHead = { count: 0, sha256: "0".repeat(64) };

/** The head after one more receipt. */
export function headAfter(head: ChainHead, file: Uint8Array): ChainHead {
  return { count: head.count + 1, sha256: fileDigest(file) };
}

interface KeptHead extends ChainHead, TaskName {
  readonly version: number;
  readonly mac: string;
}

const KEPT: is.Fields<KeptHead> = {
  version: ["version", is.exactly(1)],
  ...TASK_FIELDS,
  count: ["count", is.positive],
  sha256: ["sha256", is.sha256],
  mac: ["mac", is.sha256],
};

/** Keeps a head where only those who have the key can make one. Call it while the folder is held. */
export function keepHead(dir: string, seed: Uint8Array, task: TaskName, head: ChainHead): void {
  const kept = { version: 1, ...task, ...head, mac: macOf(seed, task, head).toString("hex") };
  const json = JSON.stringify(is.toRecord(kept, KEPT), undefined, 2);
  replaceFile(headFile(dir, seed, task), Buffer.from(`${json}\n`));
}

/**
 * The head that was kept last; `undefined` where none was. A damaged file is passed over for the
 * generation before it.
 *
 * @throws {ReceiptError} `ERR_DAMAGED` where no generation is of this task and key.
 */
export function readHead(dir: string, seed: Uint8Array, task: TaskName): ChainHead | undefined {
  const parse = (bytes: Uint8Array): ChainHead => {
    const { count, sha256, mac, ...kept } = is.fromRecord(is.parseJson(bytes), KEPT);
    const head = { count, sha256 };
    const isOurs = timingSafeEqual(Buffer.from(mac, "hex"), macOf(seed, kept, head));
    if (isOurs && isSameTask(kept, task)) return head;
    throw new ReceiptError("ERR_DAMAGED", "its MAC is not ours");
  };
  const path = headFile(dir, seed, task);
  try {
    return loadFile(path, parse, { maxBytes: 2 ** 16 })?.value;
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const message =
      `${error.message}: see whether the task's last receipt is here (commits may name it), then ` +
      `remove ${path}*, and the next signing counts the receipts again`;
    throw new ReceiptError("ERR_DAMAGED", message, { cause: error });
  }
}

/** Named for the key too: the heads of a lost key are nobody's to judge. */
function headFile(dir: string, seed: Uint8Array, task: TaskName): string {
  const keyId = keyIdOf(publicKeyOf(deriveNode(seed, stepsTo(0)).privateKey));
  const name = hash("sha256", JSON.stringify([task.workspaceId, task.taskId])).slice(0, 32);
  return join(dir, "heads", `${keyId}-${name}.json`);
}

function macOf(seed: Uint8Array, task: TaskName, { count, sha256 }: ChainHead): Buffer {
  const key = Buffer.from(hkdfSync("sha256", seed, "", "quasar/receipts/heads", 32));
  const parts = ["quasar-head:1", task.workspaceId, task.taskId, count, sha256];
  return createHmac("sha256", key).update(JSON.stringify(parts)).digest();
}

/** For a commit's message: `Quasar-Receipts: <count> <sha256>`. */
export function formatReceiptsTrailer(head: ChainHead): string {
  return `Quasar-Receipts: ${head.count} ${head.sha256}`;
}

/** The head that a commit's message names; of several trailers the last. */
export function parseReceiptsTrailer(message: string): ChainHead | undefined {
  const [, count, sha256] =
    [...message.matchAll(/^Quasar-Receipts: ([1-9]\d{0,9}) ([0-9a-f]{64})$/gm)].at(-1) ?? [];
  return count === undefined || sha256 === undefined ? undefined : { count: Number(count), sha256 };
}
