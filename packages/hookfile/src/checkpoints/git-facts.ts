import { currentHead, dirtyPaths, type RepositoryFacts, type SignalOptions } from "@quasar/git";
import type { GitFacts } from "./checkpoints.ts";

/**
 * Where a work tree stands now.
 *
 * @throws {GitError} as `currentHead` and `dirtyPaths` do; the signal's reason when aborted.
 */
export async function readGitFacts(
  worktree: string,
  options: SignalOptions = {},
): Promise<GitFacts> {
  const [at, dirty] = await Promise.all([
    currentHead(worktree, options),
    dirtyPaths(worktree, options),
  ]);
  return gitFactsOf({ ...at, dirty });
}

/** What a checkpoint says of a repository, from what was seen of it. */
export function gitFactsOf({
  head,
  branch = "",
  dirty,
}: Pick<RepositoryFacts, "head" | "branch" | "dirty">): GitFacts {
  return { branch, ...(head !== "" && { commit: head }), dirty: dirty.length > 0 };
}
