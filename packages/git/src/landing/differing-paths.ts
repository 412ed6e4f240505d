import type { SignalOptions } from "../head.ts";
import { checkSha } from "../revision.ts";
import { folderOutput, type MergeFolder } from "./merge-folder.ts";

const RAW = [
  ...["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-commit-id", "--no-renames"],
  ...["--no-relative", "--diff-merges=first-parent"],
] as const;

/**
 * The paths of which two commits make something else, each of its first parent: by what is there before, or after. None
 * exactly where `changeDigest` is the same of both.
 *
 * @returns In the order of their names.
 * @throws {GitError} `ERR_MISSING_OBJECT`, `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function differingPaths(
  folder: MergeFolder,
  commits: readonly [one: string, other: string],
  { signal }: SignalOptions = {},
): Promise<readonly string[]> {
  const [one, other] = await Promise.all(
    commits.map(async (commit) => {
      const fields = (
        await folderOutput("read", folder, [...RAW, checkSha(commit), "--"], { signal })
      )
        .split("\0")
        .slice(0, -1);
      return new Map(fields.flatMap((path, at) => (at % 2 === 0 ? [] : [[path, fields[at - 1]]])));
    }),
  );
  const paths = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])]);
  return [...paths].filter((path) => one?.get(path) !== other?.get(path)).toSorted();
}
