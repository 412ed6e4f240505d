import { git, type GitResult, type Profile, type RunOptions } from "./run.ts";

/**
 * What git says where the folder of all records went while it made one in it: who removes the only other work tree
 * removes that folder, too.
 */
const FOLDER_WENT =
  /^fatal: could not create (?:leading directories|directory) of .*: No such file or directory$/mu;

const MOST_TRIES = 20;

export interface AddWorktreeOptions extends RunOptions {
  /** The words of each further try, where the first has done something already. @default the same */
  readonly again?: readonly string[] | undefined;
}

/**
 * Runs `git worktree add` to its end, whatever its exit code, and again where another git that removed a work tree was in
 * its way.
 *
 * @param what - Its further words.
 * @throws {GitError} as `git`
 */
export async function addWorktree(
  profile: Profile,
  root: string,
  what: readonly string[],
  { again = what, ...options }: AddWorktreeOptions,
): Promise<GitResult> {
  const add = async (words: readonly string[]): Promise<GitResult> =>
    git(profile, root, ["worktree", "add", "--quiet", ...words], options);
  let result = await add(what);
  for (let tries = 1; FOLDER_WENT.test(result.stderr) && tries < MOST_TRIES; tries++) {
    result = await add(again);
  }
  return result;
}
