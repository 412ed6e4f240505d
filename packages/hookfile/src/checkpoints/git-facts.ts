import { currentHead, dirtyPaths, type RepositoryFacts, type SignalOptions } from "@quasar/git";
import type { GitFacts } from "./checkpoints.ts";

type Seen = Pick<RepositoryFacts, "head" | "branch" | "dirty">;

export interface ReadGitFactsOptions extends SignalOptions {
  /** What was seen of the work tree, where nothing ran since. @default it is checked */
  readonly seen?: Seen | undefined;
}

/**
 * Where a work tree stands now.
 *
 * @throws {GitError} as `currentHead` and `dirtyPaths` do; the signal's reason when aborted.
 */
export async function readGitFacts(
  worktree: string,
  { seen, signal }: ReadGitFactsOptions = {},
): Promise<GitFacts> {
  const { head, branch = "", dirty } = seen ?? (await look(worktree, { signal }));
  return { branch, ...(head !== "" && { commit: head }), dirty: dirty.length > 0 };
}

async function look(worktree: string, options: SignalOptions): Promise<Seen> {
  const [at, dirty] = await Promise.all([
    currentHead(worktree, options),
    dirtyPaths(worktree, options),
  ]);
  return { ...at, dirty };
}
