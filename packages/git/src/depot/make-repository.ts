import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "@quasar/process/files";
import type { SignalOptions } from "../head.ts";
import { gitOutput } from "../run.ts";

/** Nobody means it: a branch that is checked out somewhere takes nothing that is fetched. */
const NO_BRANCH = "quasar-has-no-branch-checked-out";

/**
 * Makes a repository of our own to work in, with nothing in it and no git hooks; one that is there stays as it is. Any branch
 * can be fetched into it, also before there is one.
 *
 * @param root - Absolute path of its work tree.
 * @throws {GitError} `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function makeRepository(root: string, { signal }: SignalOptions = {}): Promise<void> {
  if (existsSync(join(root, ".git", "HEAD"))) return;
  makeFolders(root);
  const init = ["init", "--quiet", "--template=", `--initial-branch=${NO_BRANCH}`, "--", root];
  await gitOutput("write", root, init, { signal });
}
