import { openRepository } from "@quasar/git";
import { openCommitGaps } from "@quasar/git/gaps";
import { treeToCommit } from "@quasar/git/work-trees";
import { messageOf } from "./errors.ts";
import { namedPaths } from "./plain.ts";
import type { TaskRecord } from "./task-record.ts";

/** Work of a task that ignore rules keep out of every commit. */
export interface IgnoredWork {
  /** From the root; a folder's with a slash at its end. */
  readonly paths: readonly string[];
  /** `.gitignore` files that ignore themselves, beside what they ignore. */
  readonly rules: readonly string[];
  /** Whether there are more ignored files than were checked. */
  readonly isCut: boolean;
}

export interface IgnoredWorkOptions {
  /** The tree of a commit of everything that is there. @default git is asked, where it matters */
  readonly present?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What has come since the task was made and is ignored, for agents and checks see it as if it was committed.
 *
 * @throws {GitError}
 * @see SPEC.md, "Ignored work"
 */
export async function ignoredWork(
  worktree: string,
  { createdAt, metadata }: Pick<TaskRecord, "createdAt" | "metadata">,
  { present, signal }: IgnoredWorkOptions = {},
): Promise<IgnoredWork> {
  const work = async () => ({
    from: metadata.baseSha,
    to: present ?? (await treeToCommit(worktree, { signal })),
  });
  const repository = await openRepository(worktree, { signal });
  return openCommitGaps(repository, { signal }).newlyIgnored(new Date(createdAt), work);
}

/**
 * The same in words, for a person; `""` where there is nothing to say.
 *
 * @throws The signal's reason when aborted.
 */
export async function ignoredBeside(
  worktree: string,
  task: Pick<TaskRecord, "createdAt" | "metadata">,
  signal: AbortSignal,
): Promise<string> {
  try {
    return ignoredWords(await ignoredWork(worktree, task, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    return `ignored files could not be read: ${messageOf(error)}`;
  }
}

/** In words, for a person; `""` where there is nothing to say. */
export function ignoredWords({ paths, rules, isCut }: IgnoredWork): string {
  return [
    ...(paths.length === 0 ? [] : [`in no commit, as git ignores it: ${namedPaths(paths)}`]),
    ...(rules.length === 0
      ? []
      : [`in no commit: what ${namedPaths(rules)} ignores, itself included`]),
    ...(isCut ? ["there are more ignored files than were checked"] : []),
  ].join("; ");
}
