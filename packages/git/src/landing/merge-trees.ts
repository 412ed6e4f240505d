import type { ConfigPair } from "../environment.ts";
import { GitError } from "../errors.ts";
import type { SignalOptions } from "../head.ts";
import { looseCommit } from "../loose.ts";
import { checkSha } from "../revision.ts";
import { gitFailed } from "../run.ts";
import { folderGit, folderOutput, type MergeFolder, reportsError } from "./merge-folder.ts";
import { failedOrMissing, missingObject } from "./missing-object.ts";
import { type MergedTrees, parseMerge } from "./parse-merge.ts";

export type { MergeConflict, MergedTrees } from "./parse-merge.ts";

export interface MergeTreesOptions extends SignalOptions {
  /** Full id of the commit that is merged into. */
  readonly ours: string;
  /** Full id of the commit that is merged. */
  readonly theirs: string;
}

/** What git takes for its defaults may change, what is merged here may not. */
const MERGE: readonly ConfigPair[] = [
  ["merge.renames", "true"],
  ["merge.renameLimit", "7000"],
  ["merge.directoryRenames", "false"],
  ["merge.renormalize", "false"],
  ["merge.conflictStyle", "merge"],
];

/**
 * Merges two commits into a tree, durably, without a work tree, an index or a ref. The same two give the same id,
 * wherever and by whomever it is done with the same git. Merge drivers and attributes (`union`, `binary`) do not act.
 * Conflict markers name the two sides by their ids.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT` where a commit, tree or file is not here: that is no conflict;
 *   `ERR_BAD_REVISION` for what is no commit; `ERR_GIT_FAILED`, also for commits without a common past and for an answer of git's that is not
 *   understood; the signal's reason when aborted.
 * @see SPEC.md, "Landing"
 */
export async function mergeTrees(
  folder: MergeFolder,
  { ours, theirs, signal }: MergeTreesOptions,
): Promise<MergedTrees> {
  await requireCommits(folder, [ours, theirs], { signal });
  const args = ["merge-tree", "--write-tree", "-z", "--messages", ours, theirs];
  const result = await folderGit("keep", folder, args, { signal, config: MERGE });
  const { exitCode, stdout } = result;
  if (exitCode > 1 || exitCode < 0 || reportsError(result)) throw failedOrMissing(args, result);
  const merged = parseMerge(stdout);
  const isClean = merged?.conflicts.length === 0;
  if (merged === undefined || isClean !== (exitCode === 0)) throw gitFailed(args, result);
  return merged;
}

/** Git's exit code is that of a conflict also where a commit is not here. */
async function requireCommits(
  folder: MergeFolder,
  commits: readonly string[],
  { signal }: SignalOptions,
): Promise<void> {
  signal?.throwIfAborted();
  const asked = commits.filter((id) => looseCommit(folder.repository, checkSha(id)) === undefined);
  if (asked.length === 0) return;
  const input = asked.map((id) => `${id}\n`).join("");
  const args = ["cat-file", "--batch-check"];
  const output = await folderOutput("read", folder, args, { signal, input });
  for (const [at, line] of output.split("\n").slice(0, -1).entries()) {
    const [, kind = "missing"] = line.split(" ");
    if (kind === "missing") throw missingObject(`commit ${asked[at]}`);
    if (kind === "commit") continue;
    throw new GitError("ERR_BAD_REVISION", `${asked[at]} is a ${kind}, not a commit`);
  }
}
