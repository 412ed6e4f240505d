import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SignalOptions } from "../head.ts";
import { gitOutput } from "../run.ts";
import { isPlain, submodulePaths } from "../submodules.ts";

/**
 * Submodules of a work tree, and those within them, with a commit that is checked out or on a branch and that no remote of
 * theirs has, as far as is known here: it may be nowhere else.
 *
 * @returns Their paths in the work tree; what is within one comes before it.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function unpushedSubmodules(
  workTree: string,
  options: SignalOptions = {},
): Promise<readonly string[]> {
  const unpushed: string[] = [];
  for (const path of [...submodulePaths(workTree)].filter(isPlain)) {
    const folder = join(workTree, path);
    if (!existsSync(join(folder, ".git"))) continue;
    // Git has no submodule behind a link, which may lead back here.
    if (realpathSync(folder) !== join(realpathSync(workTree), path)) continue;
    const within = await unpushedSubmodules(folder, options);
    unpushed.push(...within.map((each) => join(path, each)));
    const args = [
      "rev-list",
      "--max-count=1",
      "--ignore-missing",
      "HEAD",
      "--branches",
      "--not",
      "--remotes",
    ];
    if ((await gitOutput("read", folder, args, options)).trim() !== "") unpushed.push(path);
  }
  return unpushed;
}
