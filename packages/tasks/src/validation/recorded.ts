import { createHookFileStore, HookFileError } from "@quasar/hookfile";
import { readArchive } from "@quasar/hookfile/folders";
import type { ChainHead, ValidationReceipt } from "@quasar/receipts";

/** What is on record of a task's receipts, beside their own files. */
export interface RecordedReceipts {
  readonly recorded: readonly ValidationReceipt[];
  /** Heads of the chain that were kept with them. */
  readonly heads: readonly ChainHead[];
}

/**
 * Reads what a task's files have on record of its receipts: hook file and history, or the archive of a
 * task that was cleaned up. Of damaged files nothing is on record: the receipts' own files are left.
 */
export function recordedReceipts(taskDir: string): RecordedReceipts {
  try {
    const archived = readArchive(taskDir);
    if (archived === undefined) {
      return { recorded: [...createHookFileStore({ dir: taskDir }).receipts()], heads: [] };
    }
    const { hook, receiptsHead } = archived;
    return { recorded: hook.receipts, heads: receiptsHead === undefined ? [] : [receiptsHead] };
  } catch (error) {
    if (error instanceof HookFileError) return { recorded: [], heads: [] };
    throw error;
  }
}
