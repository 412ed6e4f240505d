import type { Repository } from "@quasar/git";
import { clearGitLocks } from "@quasar/git/internal";

/** A program that works in a work tree, and holds its lock. */
export interface TreeDriver {
  readonly repository: Repository;
  /** Whether the lock is still this process's. Throws nothing. */
  holdsLock(): boolean;
  /** Reports what the driver itself did or saw. */
  notice(message: string): void;
}

/** Moves the lock files aside that a git which is gone has left, and says so. Not where another process drives. */
export async function freeGit({ repository, holdsLock, notice }: TreeDriver): Promise<void> {
  if (!holdsLock()) return;
  for (const message of await freeGitLocks(repository)) notice(message);
}

/**
 * Moves the lock files aside that a git which is gone has left in a repository. Call it under the lock of its work tree.
 *
 * @returns What there is to say of each.
 */
export async function freeGitLocks(repository: Repository): Promise<readonly string[]> {
  const paths = await clearGitLocks(repository);
  return paths.map((path) => `${path} was left by a dead git process: quarantined`);
}
