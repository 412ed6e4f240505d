import { type Config, readConfig } from "./config.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { isSha } from "./revision.ts";
import { gitOutput } from "./run.ts";
import { type DirtyPath, parseStatus, STATUS } from "./status.ts";

/** A work tree as it is about to be committed. */
export interface SeenWork {
  /** The commit that HEAD is at; `""` while there is none. */
  readonly head: string;
  /** What is not committed. */
  readonly dirty: readonly DirtyPath[];
  /** Git's settings that matter to a commit. */
  readonly config: ReadonlyMap<string, string>;
}

const HEAD_LINE = "# branch.oid ";

/**
 * Looks at work that is to be committed: like `commitAll`, and unlike the reads of this package, with
 * the user's filters. Starts two git processes; in a submodule one more.
 *
 * @param workDir - Any folder of the work tree.
 * @throws {GitError} `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function lookAtWork(workDir: string, options: SignalOptions = {}): Promise<SeenWork> {
  const config: Config = await readConfig(workDir, options);
  const output = await gitOutput("write", workDir, [...STATUS, "--branch"], options);
  const line = output.split("\0").find((entry) => entry.startsWith(HEAD_LINE));
  const oid = line?.slice(HEAD_LINE.length) ?? "";
  if (oid !== "(initial)" && !isSha(oid)) {
    throw new GitError("ERR_GIT_FAILED", "git status did not name HEAD's commit");
  }
  return { head: isSha(oid) ? oid : "", dirty: parseStatus(output), config };
}
