import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ValidationReceipt } from "@quasar/receipts";
import { type CodecOf, object, optional, refuse, text, whole, within } from "./codec.ts";
import type { HistoryHead, HookEvent, HookFile, StepCheckpoint } from "./hook-file.ts";
import { withEntries } from "./entries.ts";
import {
  checkpointList,
  eventList,
  headCodec,
  position,
  type Position,
  receiptList,
  sha256,
} from "./hook-codec.ts";
import { omit } from "./omit.ts";

/** A longer one is not written. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** What one change adds to the history: enough to continue from without any other file. */
export interface HistoryEntry {
  /** The task after the change. */
  readonly position: Position;
  readonly events: readonly HookEvent[];
  readonly receipts: readonly ValidationReceipt[];
  readonly checkpoints: readonly StepCheckpoint[];
  /** In the first record of a file but the first: the record before it. */
  readonly continues?: HistoryHead | undefined;
  /** Why what is before it cannot be relied on; then `continues` is what hook.json was written after. */
  readonly problem?: string | undefined;
}

/** As it stands in a file. */
export interface HistoryRecord extends HistoryEntry {
  readonly head: HistoryHead;
}

interface Sealed {
  readonly sha256: string;
}

const entryFields: CodecOf<HistoryEntry> = {
  position,
  events: eventList,
  receipts: optional(receiptList),
  checkpoints: optional(checkpointList),
  continues: optional(headCodec),
  problem: optional(text()),
};

const entryCodec = object<HistoryEntry>(entryFields);
const sealCodec = object<Sealed>({ sha256 });

/**
 * What a journal's record holds: the entry, and before it the SHA-256 of its JSON, as nothing else
 * vouches for the last record of a journal.
 */
export function encodeEntry(entry: HistoryEntry): unknown {
  const body = whole(() => entryCodec.encode(entry)) as object;
  return { sha256: hash("sha256", JSON.stringify(body)), ...body };
}

/** @throws {HookFileError} `ERR_INVALID_HOOK_FILE` for anything but what `encodeEntry` gave. */
export function decodeEntry(data: unknown): HistoryEntry {
  return whole(() => {
    const { sha256 } = sealCodec.decode(data);
    const body = omit(data as Sealed, "sha256");
    if (sha256 !== hash("sha256", JSON.stringify(body))) {
      return within(".sha256", () => refuse("that of the record"));
    }
    return { ...NOTHING, ...entryCodec.decode(body) };
  });
}

const NOTHING: Pick<HistoryEntry, "receipts" | "checkpoints"> = { receipts: [], checkpoints: [] };

export function isSameHead(a: HistoryHead | undefined, b: HistoryHead | undefined): boolean {
  return a?.file === b?.file && a?.record === b?.record && a?.sha256 === b?.sha256;
}

/** A hook that its store has read or written. */
export type Stored = HookFile & { readonly head: HistoryHead };

/** The hook file after a record, with what is known of the lists from before it. */
export function adopt(hook: HookFile | undefined, record: HistoryRecord): Stored {
  const { position, head } = record;
  const before = hook ?? { ...position, history: [], receipts: [], checkpoints: [] };
  const { history, receipts, checkpoints } = withEntries(before, record);
  return { ...position, history, receipts, checkpoints, head };
}

/** The hook file after one more record; `undefined` where the record is not of this hook. */
export function rollForward(hook: HookFile, record: HistoryRecord): Stored | undefined {
  const { taskId, revision, counts } = record.position;
  const isNext =
    taskId === hook.taskId &&
    revision === hook.revision + 1 &&
    isDeepStrictEqual(counts, withEntries(hook, record).counts);
  return isNext ? adopt(hook, record) : undefined;
}
