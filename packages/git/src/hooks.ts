import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SignalOptions } from "./head.ts";
import type { Repository } from "./repository.ts";
import { git, gitFailed } from "./run.ts";

/** Where git looks for the git hooks of a work tree. */
export interface HooksFolder {
  /** Absolute, with whatever links are in it; it need not exist. */
  readonly path: string;
  /** Whether `core.hooksPath` names it, in whichever file of settings. */
  readonly isConfigured: boolean;
}

/**
 * The folder that `git rev-parse --git-path hooks` names for whoever commits in this work tree.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason
 *   when aborted.
 */
export async function hooksFolder(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  options: SignalOptions = {},
): Promise<HooksFolder> {
  // By scope, because every read sets the value itself, above all files.
  const args = ["config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath"];
  const result = await git("read", root, args, options);
  if (result.exitCode > 1) throw gitFailed(args, result);
  const fields = result.stdout.split("\0");
  let configured: string | undefined;
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (fields[at] !== "command") configured = fields[at + 1];
  }
  return configured === undefined
    ? { path: join(commonDir, "hooks"), isConfigured: false }
    : { path: resolve(root, configured), isConfigured: true };
}

/** The hooks that can refuse a commit: githooks(5). */
const REFUSING = ["pre-commit", "prepare-commit-msg", "commit-msg"] as const;

/** The hooks that git starts for a commit, in its order. */
export const COMMIT_HOOKS: readonly string[] = [...REFUSING, "post-commit"];

/** Whether a file is there that git starts before it commits, and that can refuse it. */
export async function hasRefusingHook(
  repository: Pick<Repository, "root" | "commonDir">,
  options: SignalOptions = {},
): Promise<boolean> {
  const { path } = await hooksFolder(repository, options);
  const isThere = await Promise.all(
    REFUSING.map(async (hook) => {
      try {
        await access(join(path, hook), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    }),
  );
  return isThere.includes(true);
}
