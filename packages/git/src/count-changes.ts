import { onlyPaths } from "./diff.ts";
import type { SignalOptions } from "./head.ts";
import { checkSha } from "./revision.ts";
import { gitOutput } from "./run.ts";

/** A file that differs between two commits, and by how many lines. */
export interface FileChange {
  /** From the root, `/` between parts; bytes that are no UTF-8 are U+FFFD. */
  readonly path: string;
  /** `undefined` of a binary file. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
}

/**
 * The files in which two commits differ, in the order of their paths. A renamed one is two. Starts one git process,
 * and nothing that the repository names.
 *
 * @param from - Full id of a commit or a tree, as `to`.
 * @param paths - Only of these files, from the root. All of them by default.
 * @throws {GitError} `ERR_BAD_REVISION` unless they are; `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`, also where one of them is missing; the signal's reason when aborted.
 */
export async function countChanges(
  workTree: string,
  from: string,
  to: string,
  { paths, ...options }: SignalOptions & { readonly paths?: readonly string[] | undefined } = {},
): Promise<readonly FileChange[]> {
  const args = [
    ...["diff-tree", "-r", "-z", "--numstat", "--no-commit-id", "--no-renames", "--no-relative"],
    ...["--no-ext-diff", "--no-textconv", checkSha(from), checkSha(to), "--"],
    ...onlyPaths(paths),
  ];
  const output = await gitOutput("read", workTree, args, options);
  return output
    .split("\0")
    .slice(0, -1)
    .map((entry) => {
      const [added = "", removed = "", ...path] = entry.split("\t");
      return { path: path.join("\t"), added: linesOf(added), removed: linesOf(removed) };
    });
}

/** `-` stands for a binary file. */
function linesOf(field: string): number | undefined {
  return field === "-" ? undefined : Number(field);
}
