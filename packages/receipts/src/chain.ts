import { join } from "node:path";
import { DurableError, readWholeFile } from "@quasar/durable";
import { namesIn } from "./account-files.ts";
import { SEED_VERSION } from "./codec.ts";
import { ReceiptError } from "./errors.ts";
import { type ChainHead, EMPTY_CHAIN, headAfter } from "./head.ts";
import { judgeReceipt } from "./judge.ts";
import { mirrorOf } from "./mirror.ts";
import type { KeyRing } from "./public-key.ts";
import type { ValidationReceipt } from "./receipt.ts";
import { decodeReceiptFile, MAX_FILE_BYTES } from "./receipt-file.ts";
import { ENVELOPE_ENDING } from "./receipt-id.ts";
import { decodeStatement, type ReceiptStatement } from "./statement.ts";
import { isSameTask, type TaskName } from "./task-name.ts";
import { type InspectedReceipt, openReceipt, type VerifyOptions } from "./verify.ts";

export interface VerifyChainOptions extends VerifyOptions {
  /** Heads that were kept elsewhere: by the key manager, in commits' trailers. */
  readonly anchors: readonly ChainHead[];
}

/** What is wrong with a chain, and at which receipt if it is at one. */
export interface ChainProblem {
  readonly receiptId?: string | undefined;
  readonly reason: string;
}

export interface ChainVerdict {
  /** `unverifiable`: nothing is wrong, but the key of some receipt is not here. */
  readonly kind: "valid" | "invalid" | "unverifiable";
  /** Empty unless the kind is `invalid`. */
  readonly problems: readonly ChainProblem[];
  /** `unproved`: no anchor is of the last receipt, so some could be missing after it. */
  readonly tail: "proved" | "unproved";
  /** Of the receipts that are here. */
  readonly head: ChainHead;
  /** For each receipt in order. */
  readonly receipts: readonly InspectedReceipt[];
}

/**
 * Judges all of a task's receipts and that none is missing, doubled or out of its place.
 *
 * Receipts of the seed's format are judged each by itself: they are in no chain.
 *
 * @param receipts - As hook.json and its history have them, oldest first.
 */
export function verifyChain(
  receipts: readonly ValidationReceipt[],
  options: VerifyChainOptions,
): ChainVerdict {
  const problems: ChainProblem[] = [];
  const heads: ChainHead[] = [EMPTY_CHAIN];
  const inspected = receipts.map((receipt) => {
    const { receiptId } = receipt;
    const { inspected, bytes } = openReceipt(receipt, options);
    const { verdict } = inspected;
    if (verdict.kind === "invalid") problems.push({ receiptId, reason: verdict.reason });
    if (verdict.output === "modified") {
      problems.push({ receiptId, reason: "its output was changed" });
    }
    if (receipt.sigVersion !== SEED_VERSION) {
      const head = heads.at(-1) ?? EMPTY_CHAIN;
      const link = bytes && linkOf(bytes);
      if (link !== undefined && !isNext(link.statement, head)) {
        problems.push({ receiptId, reason: `it is not receipt ${head.count} of the chain` });
      }
      heads.push(headAfter(head, bytes ?? new Uint8Array()));
    }
    return inspected;
  });
  problems.push(...options.anchors.flatMap((anchor) => judgeAnchor(anchor, heads)));

  const head = heads.at(-1) ?? EMPTY_CHAIN;
  const isProved = options.anchors.some((anchor) => isSameHead(anchor, head));
  const isUnverifiable = inspected.some(({ verdict }) => verdict.kind === "unverifiable");
  const kind = problems.length > 0 ? "invalid" : isUnverifiable ? "unverifiable" : "valid";
  const tail = isProved ? "proved" : "unproved";
  return { kind, problems, tail, head, receipts: inspected };
}

/**
 * The receipts whose files are in a folder, in the order of their numbers, as hook.json would mirror
 * them. Unverified: give them to {@link verifyChain}. Files that are no receipts are left out.
 *
 * @param of.tree - Only those that say that they began on this tree. @default all
 */
export function listReceipts(
  dir: string,
  { tree }: { readonly tree?: string | undefined } = {},
): readonly ValidationReceipt[] {
  return linksIn(dir)
    .filter(({ statement }) => tree === undefined || statement.treeBefore === tree)
    .toSorted((a, b) => a.statement.sequence - b.statement.sequence)
    .map(({ receipt }) => receipt);
}

/** The tasks that the receipts in a folder are of, as they say themselves. Unverified. */
export function listReceiptTasks(dir: string): readonly TaskName[] {
  const names = linksIn(dir).map(({ statement: { workspaceId, taskId } }) => {
    return { workspaceId, taskId };
  });
  return names.filter((name, at) => names.findIndex((one) => isSameTask(one, name)) === at);
}

/**
 * Follows a chain from a head over receipts that were signed but are not in the head yet, since a
 * crash came between.
 */
export function rollForward(
  dir: string,
  from: ChainHead,
  task: TaskName,
  keys: KeyRing,
): ChainHead {
  const files = namesIn(dir).filter((name) => name.endsWith(ENVELOPE_ENDING));
  if (files.length <= from.count) return from;
  const links = linksIn(dir).filter(
    ({ receipt, bytes }) => judgeReceipt(receipt, bytes, task, keys).verdict.kind === "valid",
  );
  let head = from;
  for (;;) {
    const next = links.find(({ statement }) => isNext(statement, head));
    if (next === undefined) return head;
    head = headAfter(head, next.bytes);
  }
}

interface Link {
  readonly receipt: ValidationReceipt;
  readonly statement: ReceiptStatement;
  readonly bytes: Uint8Array;
}

function linksIn(dir: string): readonly Link[] {
  return namesIn(dir).flatMap((name) => {
    const bytes = name.endsWith(ENVELOPE_ENDING) ? readFile(join(dir, name)) : undefined;
    const link = bytes && linkOf(bytes);
    return link !== undefined && `${link.receipt.receiptId}${ENVELOPE_ENDING}` === name
      ? [link]
      : [];
  });
}

/** Links, folders and what is too large are no files of ours. */
function readFile(path: string): Uint8Array | undefined {
  try {
    return readWholeFile(path, { maxBytes: MAX_FILE_BYTES });
  } catch (error) {
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}

/** `undefined` where the bytes are no receipt's. */
function linkOf(bytes: Uint8Array): Link | undefined {
  try {
    const file = decodeReceiptFile(bytes);
    const statement = decodeStatement(file.statement.payload);
    return { receipt: mirrorOf(file, statement), statement, bytes };
  } catch (error) {
    if (error instanceof ReceiptError) return undefined;
    throw error;
  }
}

function isNext(statement: ReceiptStatement, head: ChainHead): boolean {
  return statement.sequence === head.count && statement.previousSha256 === head.sha256;
}

function isSameHead(a: ChainHead, b: ChainHead): boolean {
  return a.count === b.count && a.sha256 === b.sha256;
}

function judgeAnchor(anchor: ChainHead, heads: readonly ChainHead[]): readonly ChainProblem[] {
  const head = heads[anchor.count];
  if (head === undefined) {
    const here = heads.length - 1;
    const signed = anchor.count === 1 ? "1 receipt was" : `${anchor.count} receipts were`;
    const found = here === 0 ? "none is" : here === 1 ? "1 is" : `${here} are`;
    return [{ reason: `${signed} signed, ${found} here` }];
  }
  if (isSameHead(anchor, head)) return [];
  return [{ reason: `receipt ${anchor.count - 1} is not the one that was signed` }];
}
