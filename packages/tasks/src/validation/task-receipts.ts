import { createHookFileStore, HookFileError } from "@quasar/hookfile";
import { readArchive } from "@quasar/hookfile/folders";
import type { ChainHead, ValidationReceipt } from "@quasar/receipts";
import { receiptsFolder } from "./folder.ts";

/** Where a task's receipts are, and what is on record of them beside their own files. */
export interface TaskReceipts {
  /** Folder of the receipts' files. */
  readonly dir: string;
  readonly recorded: readonly ValidationReceipt[];
  /** Heads of the chain that were kept with them. */
  readonly heads: readonly ChainHead[];
}

/**
 * Reads what a task's files have on record of its receipts: hook file and history, or the archive of a
 * task that was cleaned up. Of damaged files nothing is on record: the receipts' own files are left.
 */
export function taskReceipts(taskDir: string): TaskReceipts {
  const dir = receiptsFolder(taskDir);
  try {
    const archived = readArchive(taskDir);
    if (archived === undefined) {
      return { dir, recorded: [...createHookFileStore({ dir: taskDir }).receipts()], heads: [] };
    }
    const { hook, receiptsHead } = archived;
    const heads = receiptsHead === undefined ? [] : [receiptsHead];
    return { dir, recorded: hook.receipts, heads };
  } catch (error) {
    if (error instanceof HookFileError) return { dir, recorded: [], heads: [] };
    throw error;
  }
}
