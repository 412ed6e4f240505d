import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { ConfigPair } from "../environment.ts";
import { GitError, isGone } from "../errors.ts";
import type { SignalOptions } from "../head.ts";
import { hiddenChanges } from "../hidden.ts";
import { gitDirAt, gitFoldersAt, openRepository, type Repository } from "../repository.ts";
import { checkSha } from "../revision.ts";
import { git, gitOutput, type RunOptions } from "../run.ts";
import { quoted } from "../text.ts";
import { isSynced, listWorktrees } from "../worktree.ts";
import { failedOrMissing } from "./missing-object.ts";
import { GOING, isUnfinished, lockTree, UNFINISHED, unlockTree } from "./tree-lock.ts";
import { quitOperation } from "./quit-operation.ts";
import { trustedFilters } from "./trusted-filters.ts";

export interface DetachedWorkTreeOptions extends SignalOptions {
  /** Absolute; missing or empty. */
  readonly path: string;
  /** Full id. */
  readonly commit: string;
  /** Adds what belongs into it beside the commit's files; it is made only once this is done. @default nothing */
  readonly prepare?: (() => Promise<void>) | undefined;
}

/**
 * Makes a linked work tree that holds all of a commit, on no branch, durably: sparse checkouts of others do not count. No git hook runs, and no filter but those of the
 * user's own settings. One that a crash leaves half made is locked: see {@link repairWorkTrees}.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT` where the commit or one of its files is not here; `ERR_GIT_FAILED`, also where
 *   something is in the folder; `ERR_BAD_REVISION`; what `prepare` throws; the signal's reason when aborted.
 */
export async function addDetachedWorkTree(
  repository: Repository,
  { path, commit, prepare, signal }: DetachedWorkTreeOptions,
): Promise<Repository> {
  const { root } = repository;
  const how = ["--quiet", "--detach", "--no-checkout", "--lock", "--reason", UNFINISHED];
  // Twice: also where one that was never finished is on record for the path.
  const force = ["--force", "--force"];
  const args = ["worktree", "add", ...how, ...force, "--", path, checkSha(commit)];
  await write(root, args, { signal });
  const made = await openLinkedWorkTree(repository, path, { signal });
  lockTree(made.gitDir, UNFINISHED);
  await holdAll(made, { signal });
  await checkOutCommit(made, commit, { signal });
  await prepare?.();
  unlockTree(made.gitDir);
  return made;
}

/**
 * What `openRepository` says of a linked work tree of a repository that is open. Starts no process where the folder and
 * the repository's record of it name each other, and it has no settings of its own.
 *
 * @param path - Absolute.
 * @throws {GitError} as `openRepository`
 */
export async function openLinkedWorkTree(
  { commonDir }: Pick<Repository, "commonDir">,
  path: string,
  { signal }: SignalOptions = {},
): Promise<Repository> {
  signal?.throwIfAborted();
  const gitDir = await recordOf(path, commonDir);
  if (gitDir === undefined || !(await isPlainRecord(path, commonDir))) {
    return openRepository(path, { signal });
  }
  return { root: path, gitDir, commonDir };
}

/** Whether git can be meant to take it for a work tree of this repository, in this very folder. */
async function isPlainRecord(path: string, commonDir: string): Promise<boolean> {
  const found = await gitFoldersAt(path);
  if (found?.commonDir !== commonDir || realpathSync(path) !== path) return false;
  const { gitDir } = found;
  return existsSync(join(gitDir, "HEAD")) && !existsSync(join(gitDir, "config.worktree"));
}

/** Git gives a new work tree the sparse checkout of the one at hand: this one holds the whole commit. */
async function holdAll({ root, gitDir }: Repository, { signal }: SignalOptions): Promise<void> {
  rmSync(join(gitDir, "info", "sparse-checkout"), { force: true });
  const file = join(gitDir, "config.worktree");
  if (!existsSync(file)) return;
  const args = ["config", "--file", file, "core.sparseCheckout", "false"];
  await gitOutput("keep", root, args, { signal });
}

/**
 * Puts HEAD at a commit, on no branch, and makes all tracked files those of the commit, durably: changes in them are
 * lost, also those that git was asked not to look at; what is untracked stays unless it is in the way. Git forgets what it is in the middle of there. No git hook
 * runs, and no filter but those of the user's own settings.
 *
 * @param workTree - A linked one that Quasar made.
 * @throws {GitError} `ERR_FOREIGN_WORK_TREE` where its folder leads to another repository by now; `ERR_MISSING_OBJECT`
 *   where the commit or one of its files is not here; `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when
 *   aborted.
 */
export async function checkOutCommit(
  workTree: Repository,
  commit: string,
  { signal }: SignalOptions = {},
): Promise<void> {
  const { root, gitDir } = workTree;
  if ((await gitDirAt(root)) !== gitDir) {
    const message = `${quoted(root)} is not the work tree of ${quoted(gitDir)} any more`;
    throw new GitError("ERR_FOREIGN_WORK_TREE", message, { path: root });
  }
  await quitOperation(workTree, { signal });
  await uncoverChanges(root, { signal });
  const filters = await trustedFilters(root, { signal });
  const config: readonly ConfigPair[] = [...filters, ["submodule.recurse", "false"]];
  const args = ["checkout", "--quiet", "--force", "--detach", checkSha(commit), "--"];
  await write(root, args, { signal, config });
  // Git has synced its own.
  await isSynced(workTree);
}

/** Git passes over a changed file that it was asked not to look at, also where it is to overwrite it. */
async function uncoverChanges(root: string, { signal }: SignalOptions): Promise<void> {
  const hidden = await hiddenChanges(root, { signal });
  if (hidden.length === 0) return;
  const input = hidden.map(({ path }) => `${path}\0`).join("");
  await gitOutput("keep", root, ["update-index", "--no-skip-worktree", "-z", "--stdin"], {
    signal,
    input,
  });
}

async function write(root: string, args: readonly string[], options: RunOptions): Promise<void> {
  const result = await git("keep", root, args, options);
  if (result.exitCode !== 0) throw failedOrMissing(args, result);
}

/**
 * Removes a linked work tree and everything in its folder, ignored files and uncommitted work too: take a snapshot
 * first. One that a crash leaves half removed is locked: see {@link repairWorkTrees}.
 *
 * @param path - Absolute; of a whole one that nobody has locked.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function removeDetachedWorkTree(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  path: string,
  { signal }: SignalOptions = {},
): Promise<void> {
  const gitDir = await recordOf(path, commonDir);
  if (gitDir === undefined) {
    throw new GitError("ERR_GIT_FAILED", `${quoted(path)} is no work tree of ${quoted(root)}`);
  }
  const file = join(gitDir, "locked");
  // An earlier removal may have failed.
  if (existsSync(file) && textOf(file) !== GOING) {
    const message = `${quoted(path)} is locked: git worktree unlock ${quoted(path)}`;
    throw new GitError("ERR_GIT_FAILED", message, { path });
  }
  lockTree(gitDir, GOING);
  await gitOutput("keep", root, removal(path), { signal });
}

/**
 * Takes a linked work tree out of use that git cannot read any more, and keeps its files. It need not be on record.
 *
 * @param path - Absolute.
 * @returns The folder that they are in now, `<path>.left-<time>`; `undefined`: there were none.
 * @throws {GitError} `ERR_GIT_FAILED`; the system's error; the signal's reason when aborted.
 */
export async function quarantineWorkTree(
  { root }: Pick<Repository, "root">,
  path: string,
  { signal }: SignalOptions = {},
): Promise<string | undefined> {
  const [kept] = quarantine(path);
  const known = await listWorktrees(root, { signal });
  if (known.some((each) => each.path === path)) {
    await gitOutput("keep", root, removal(path), { signal });
  }
  return kept;
}

function removal(path: string): readonly string[] {
  return ["worktree", "remove", "--force", "--force", "--", path];
}

/**
 * Removes a linked work tree that was never finished: one whose `prepare` threw. Any other stays.
 *
 * @param path - Absolute; nobody makes one there meanwhile.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function removeUnfinishedWorkTree(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  path: string,
  { signal }: SignalOptions = {},
): Promise<void> {
  const gitDir = await recordOf(path, commonDir);
  if (gitDir === undefined) return;
  const file = join(gitDir, "locked");
  if (!existsSync(file) || !isUnfinished(gitDir, textOf(file))) return;
  await gitOutput("keep", root, removal(path), { signal });
}

/** What was done to make work trees whole. */
export interface RepairedWorkTrees {
  /** Half made or half removed, or their folder is gone: not on record any more. */
  readonly removed: readonly string[];
  /** Folders with files that were no work trees of the repository, under the names that they have now. */
  readonly quarantined: readonly string[];
}

/**
 * Makes sure that each folder in a folder is a whole work tree of a repository: what is half made or half removed, or on
 * record without a folder, goes; what else has files, and each link, is renamed to `<name>.left-<time>`. Other work trees are left alone.
 *
 * @param folder - Absolute; for Quasar's own work trees alone. Nobody makes one in it meanwhile.
 * @throws {GitError} `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the system's error; the signal's reason when aborted.
 */
export async function repairWorkTrees(
  repository: Repository,
  folder: string,
  { signal }: SignalOptions = {},
): Promise<RepairedWorkTrees> {
  const { root, commonDir } = repository;
  const place = existsSync(folder) ? realpathSync(folder) : folder;
  removeHalfWritten(commonDir, place);
  // Where a record leads is anybody's text.
  const known = (await listWorktrees(root, { signal })).filter(
    ({ path }) => resolve(path) === path && path.startsWith(`${place}/`),
  );
  const removed: string[] = [];
  const quarantined: string[] = [];
  for (const { path, lock } of known) {
    const isGoing = lock === GOING;
    const gitDir = await recordOf(path, commonDir);
    const isOurs = gitDir !== undefined;
    if (isOurs && !isGoing && !isUnfinished(gitDir, lock)) continue;
    if (isGoing) await rm(path, { recursive: true, force: true });
    // Without its link it may hold anything.
    else if (!isOurs) quarantined.push(...quarantine(path));
    await gitOutput("keep", root, removal(path), { signal });
    removed.push(path);
  }
  for (const path of foldersIn(place)) {
    if ((await recordOf(path, commonDir)) === undefined) quarantined.push(...quarantine(path));
  }
  return { removed, quarantined };
}

/** A record without its last file, which no git reads past, and which a git that was killed has left. */
function removeHalfWritten(commonDir: string, place: string): void {
  for (const record of foldersIn(join(commonDir, "worktrees"))) {
    if (textOf(join(record, "commondir")) !== "") continue;
    const path = textOf(join(record, "gitdir"));
    if (dirname(dirname(path)) !== place) continue;
    // Without a reason it has no index either: nobody could have made one.
    if (isUnfinished(record, textOf(join(record, "locked")))) rmSync(record, { recursive: true });
  }
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

/** Links too, wherever they lead. */
function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !LEFT.test(entry.name))
    .map(({ name }) => join(folder, name));
}

const LEFT = /\.left-[\dTZ.-]+$/u;

/** @returns The name that it has now; nothing where there was nothing to keep. */
function quarantine(path: string): readonly string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined) return [];
  if (entry.isDirectory() && readdirSync(path).length === 0) {
    rmdirSync(path);
    return [];
  }
  const to = `${path}.left-${new Date().toISOString().replaceAll(":", "")}`;
  renameSync(path, to);
  return [to];
}

/** The record of a work tree, where folder and repository know each other: a copy of a work tree does not. */
async function recordOf(path: string, commonDir: string): Promise<string | undefined> {
  try {
    const gitDir = await gitDirAt(path);
    if (gitDir === undefined || dirname(gitDir) !== join(commonDir, "worktrees")) return undefined;
    const back = readFileSync(join(gitDir, "gitdir"), "utf8").trimEnd();
    return resolve(gitDir, back) === join(path, ".git") ? gitDir : undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
