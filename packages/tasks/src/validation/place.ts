import { currentGitSha, GitError } from "@quasar/git";
import { changedPaths } from "@quasar/git/history";
import { treeToCommit } from "@quasar/git/work-trees";
import { namedPaths, shortSha } from "../plain.ts";
import { TasksError } from "../errors.ts";
import { controlsObstacle } from "../git-controls.ts";
import type { RoundOptions } from "./round-options.ts";

/** What a command finds, and leaves. */
export interface Place {
  /** That a commit of everything would have. */
  readonly tree: string | undefined;
  readonly commit: string | undefined;
}

/**
 * A work tree that cannot be named justifies no skip later; its commands are run all the same.
 *
 * @throws {TasksError} `ERR_CHANGED` where git would start other programs for a look than before the task began.
 */
export async function placeOf({
  taskDir,
  worktree,
  ports,
  tell,
}: Pick<RoundOptions, "taskDir" | "worktree" | "ports" | "tell">): Promise<Place> {
  const known = async (asked: Promise<string | undefined>): Promise<string | undefined> => {
    try {
      return await asked;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (error.code !== "ERR_NO_COMMITS") {
        tell({ type: "warning", message: `a receipt cannot name its tree: ${error.message}` });
      }
      return undefined;
    }
  };
  const obstacle = await known(controlsObstacle({ taskDir, worktree, ports }));
  if (obstacle !== undefined) throw new TasksError("ERR_CHANGED", obstacle);
  const [tree, commit] = await Promise.all([
    known(treeToCommit(worktree)),
    known(currentGitSha(worktree)),
  ]);
  return { tree, commit };
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.tree === other.tree && one.commit === other.commit;
}

/** What has changed from one place to another, for a person: files by name, else how HEAD has moved. */
export async function changeBetween(worktree: string, from: Place, to: Place): Promise<string> {
  if (from.tree === undefined || to.tree === undefined)
    return "the work tree, which git cannot name";
  if (from.tree !== to.tree) return namedPaths(await changedPaths(worktree, from.tree, to.tree));
  const [before, after] = [from, to].map(({ commit = "" }) => shortSha(commit) || "no commit");
  return `HEAD, from ${before} to ${after}`;
}
