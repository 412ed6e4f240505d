import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { syncFileSystem } from "@quasar/process/files";
import { checkVariables, type ConfigPair } from "./environment.ts";
import { isGone } from "./errors.ts";
import { announced } from "./git-work.ts";
import type { SignalOptions } from "./head.ts";
import { openRepository, type Repository } from "./repository.ts";
import { checkBranch, checkRevision } from "./revision.ts";
import { gitOutput } from "./run.ts";

export interface WorktreeOptions extends SignalOptions {
  /** The folder to make, which must be missing or empty; a relative one is taken from `workTree`. */
  readonly path: string;
  /** The branch to make, without `refs/heads/`. */
  readonly branch: string;
  /**
   * What the branch starts at: `HEAD`, a full commit id or `refs/…`; it must not exist then.
   * `undefined`: it exists, and no work tree has it checked out.
   */
  readonly from: string | undefined;
  /** Added to the environment of git, filters and git hooks. No name may begin with `GIT_`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes a linked work tree on a branch, durably. It is a write: the user's `post-checkout` hook and filters run.
 *
 * @throws {GitError} `ERR_INVALID_ARGUMENT`, `ERR_BAD_REVISION`; `ERR_GIT_FAILED` when the folder
 *   exists, or the branch is not as `from` says; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the
 *   signal's reason when aborted.
 */
export async function createWorktree(
  workTree: string,
  { path, branch, from, env = {}, signal }: WorktreeOptions,
): Promise<Repository> {
  checkBranch(branch);
  checkVariables(env);
  const folder = resolve(workTree, path);
  const add = ["worktree", "add", "--quiet"];
  const argsWithBranch = [...add, "--", folder, branch];
  const args =
    from === undefined
      ? argsWithBranch
      : [...add, "--no-track", "-b", branch, "--", folder, checkRevision(from)];
  return announced("make work tree", async () => {
    await gitOutput("write", workTree, args, {
      argsWithBranch,
      signal,
      hooks: true,
      env,
      config: [NOT_EACH],
    });
    const made = await openRepository(folder, { signal });
    if (!(await isSynced(made))) syncGitFiles(made, branch);
    return made;
  });
}

/**
 * The file system is synced once, after the checkout of what may be very many files. It is git's default,
 * which has no name: what is named is added to it, and packs belong to it.
 */
const NOT_EACH: ConfigPair = ["core.fsync", "pack"];

/** Whether files and refs are durable. */
export async function isSynced({ root, commonDir }: Repository): Promise<boolean> {
  if (!(await syncFileSystem(root))) return false;
  const isOne = statSync(root).dev === statSync(commonDir).dev;
  return isOne || syncFileSystem(commonDir);
}

/** What git has written of a work tree beside its files: as much as git itself syncs with `core.fsync=all`. */
function syncGitFiles({ gitDir, commonDir }: Repository, branch: string): void {
  const ref = join(commonDir, "refs/heads", branch);
  const paths = [gitDir, ref].flatMap((path) => [...entriesOf(path), path]);
  for (let dir = dirname(ref); dir.startsWith(commonDir); dir = dirname(dir)) paths.push(dir);
  for (const path of [...paths, dirname(gitDir)]) syncPath(path);
}

function entriesOf(path: string): readonly string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return [];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name));
}

/** Flushes a file, or the names in a folder. A ref that git has packed meanwhile is no file. */
export function syncPath(path: string): void {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    fsyncSync(fd);
    closeSync(fd);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A work tree, as the repository has it on record. */
export interface Worktree {
  /** Absolute; it need not be there any more. */
  readonly path: string;
  /** Without `refs/heads/`; `undefined` where HEAD is detached. */
  readonly branch: string | undefined;
  /** Why it is not to be removed; `""` without a reason, `undefined` where it is not locked. */
  readonly lock: string | undefined;
}

/**
 * All work trees of a repository, the main one first.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason
 *   when aborted.
 */
export async function listWorktrees(
  workTree: string,
  options: SignalOptions = {},
): Promise<readonly Worktree[]> {
  const output = await gitOutput(
    "read",
    workTree,
    ["worktree", "list", "--porcelain", "-z"],
    options,
  );
  return output
    .split("\0\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const facts = new Map(
        entry.split("\0").map((line) => {
          const [name = ""] = line.split(" ", 1);
          return [name, line.slice(name.length + 1)];
        }),
      );
      const path = facts.get("worktree") ?? "";
      const branch = facts.get("branch")?.replace(/^refs\/heads\//, "");
      return { path, branch, lock: facts.get("locked") };
    });
}

/**
 * Removes a linked work tree and everything in its folder, ignored files and uncommitted work too:
 * take a snapshot first. Its branch stays.
 *
 * @throws {GitError} `ERR_GIT_FAILED` for the main work tree, for one that is locked, and for a folder
 *   that is no work tree of the repository; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's
 *   reason when aborted.
 */
export async function removeWorktree(
  workTree: string,
  path: string,
  options: SignalOptions = {},
): Promise<void> {
  const args = ["worktree", "remove", "--force", "--", resolve(workTree, path)];
  await gitOutput("keep", workTree, args, options);
}
