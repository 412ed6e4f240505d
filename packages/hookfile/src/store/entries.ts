import type { ValidationReceipt } from "@quasar/receipts";
import { type HookEvent, type HookFile, NEWEST_KEPT, type StepCheckpoint } from "./hook-file.ts";

/** What a change adds to the history. */
export interface Entries {
  readonly events?: readonly HookEvent[] | undefined;
  readonly receipts?: readonly ValidationReceipt[] | undefined;
  readonly checkpoints?: readonly StepCheckpoint[] | undefined;
}

/** What the store is asked to write: the hook as it is to be, and what is new in its lists. */
export interface Change extends Entries {
  /** Of the revision that the store gave; its lists and counts have the entries below in them. */
  readonly hook: HookFile;
  readonly events: readonly HookEvent[];
}

/** A hook with more entries in its lists, of which the newest stay, and in its counts. */
export function withEntries(hook: HookFile, entries: Entries): HookFile {
  const { events = [], receipts = [], checkpoints = [] } = entries;
  return {
    ...hook,
    counts: {
      events: hook.counts.events + events.length,
      receipts: hook.counts.receipts + receipts.length,
      checkpoints: hook.counts.checkpoints + checkpoints.length,
    },
    history: [...hook.history, ...events].slice(-NEWEST_KEPT),
    receipts: [...hook.receipts, ...receipts].slice(-NEWEST_KEPT),
    checkpoints: [...hook.checkpoints, ...checkpoints].slice(-NEWEST_KEPT),
  };
}
