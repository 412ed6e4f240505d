import { clearGitLocks, type Repository } from "@quasar/git";

/**
 * Sets aside the lock files that a git which is gone has left in a repository. Call it under the lock of its work tree.
 *
 * @returns What there is to say of each.
 */
export async function freeGitLocks(repository: Repository): Promise<readonly string[]> {
  const paths = await clearGitLocks(repository);
  return paths.map((path) => `${path} was left by a git that is gone: it is set aside`);
}
