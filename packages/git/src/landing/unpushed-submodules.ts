import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SignalOptions } from "../head.ts";
import { gitOutput } from "../run.ts";
import { submodulePaths } from "../submodules.ts";

/**
 * Submodules of a work tree whose commit no remote of theirs has, as far as is known here: it may be nowhere else.
 *
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function unpushedSubmodules(
  workTree: string,
  options: SignalOptions = {},
): Promise<readonly string[]> {
  const unpushed: string[] = [];
  for (const path of submodulePaths(workTree)) {
    const folder = join(workTree, path);
    if (!existsSync(join(folder, ".git"))) continue;
    const args = ["rev-list", "--max-count=1", "HEAD", "--not", "--remotes"];
    if ((await gitOutput("read", folder, args, options)).trim() !== "") unpushed.push(path);
  }
  return unpushed;
}
