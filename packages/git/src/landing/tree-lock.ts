import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syncPath } from "../worktree.ts";

/** A work tree with this lock was never finished; git's own word is from its start on. */
export const UNFINISHED = "being made by quasar";
const UNFINISHED_LOCKS: ReadonlySet<string | undefined> = new Set([UNFINISHED, "initializing"]);
/** Of a work tree with this lock nothing is to be kept. */
export const GOING = "being removed by quasar";

/**
 * Locks a linked work tree with a reason, whole and durably. Git writes its lock without a sync: a power cut leaves
 * the file and takes the reason, and whose lock it is with that.
 *
 * @param gitDir - Its record: `.git/worktrees/…`
 */
export function lockTree(gitDir: string, reason: string): void {
  const half = join(gitDir, "locked.tmp");
  writeFileSync(half, `${reason}\n`, { flush: true });
  renameSync(half, join(gitDir, "locked"));
  syncPath(gitDir);
}

/** Takes the lock away, durably: what is finished is not to be found unfinished. */
export function unlockTree(gitDir: string): void {
  rmSync(join(gitDir, "locked"));
  syncPath(gitDir);
}

/**
 * Whether a work tree was never finished, by the reason of its lock. One that a power cut took is of its making where no
 * index is there yet: {@link lockTree} comes before the checkout.
 */
export function isUnfinished(gitDir: string, lock: string | undefined): boolean {
  return UNFINISHED_LOCKS.has(lock) || (lock === "" && !existsSync(join(gitDir, "index")));
}
