import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Repository } from "./repository.ts";

/** A lock file of git's. */
export interface GitLock {
  readonly path: string;
  /** Where it is moved: what lies below `refs` would be a ref that is broken. */
  readonly asidePath: string;
  /** Which file it is: another lock may come to have its path. */
  readonly identity: string;
  /** Whether whoever made it is gone: a power cut or a kill has left it. */
  readonly isDead: boolean;
}

export interface GitLockOptions {
  /** Whether what all work trees share is meant too, and not only the work tree's own. @default true */
  readonly shared?: boolean | undefined;
}

/**
 * Lock files of git's in a work tree's repository. One is dead that is there while no git works where
 * it could hold it: in any work tree, for what they all share. Where nobody can know, none is. Times
 * are not asked: the clock may have been set.
 */
export function gitLocks(
  { root, gitDir, commonDir }: Repository,
  { shared = true }: GitLockOptions = {},
): readonly GitLock[] {
  // The folder that all work trees share is the git folder of the main one alone.
  const own = locksAt(gitDir, ["index.lock", "HEAD.lock"], () => [root, gitDir]);
  if (!shared) return own;
  const refs = ["heads", "quasar"].flatMap((name) => locksBelow(commonDir, join("refs", name)));
  return [
    ...own,
    ...locksAt(commonDir, ["packed-refs.lock", ...refs], () => [root, ...allTrees(commonDir)]),
  ];
}

/** @param places - Where a git works that may hold one of them. */
function locksAt(
  dir: string,
  names: readonly string[],
  places: () => readonly string[],
): readonly GitLock[] {
  const there = names.flatMap((name) => {
    const path = join(dir, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const asidePath = join(dir, name.replaceAll(sep, "-").slice(-LONGEST));
    return [{ path, asidePath, identity: `${stat.ino} ${stat.mtimeMs}` }];
  });
  if (there.length === 0) return [];
  const isDead = process.platform === "linux" && !isGitAtWork(places());
  return there.map((lock) => ({ ...lock, isDead }));
}

/** Of a name that gets an ending, in characters. */
const LONGEST = 80;

/** Of a file that names a work tree's folder, in bytes. */
const LONGEST_RECORD = 64 * 1024;

/** The folders of all work trees of a repository, and its git folder. */
function allTrees(commonDir: string): readonly string[] {
  const linked = join(commonDir, "worktrees");
  const names = lstatSync(linked, { throwIfNoEntry: false }) ? readdirSync(linked) : [];
  const trees = names.flatMap((name) => {
    const record = join(linked, name, "gitdir");
    const stat = lstatSync(record, { throwIfNoEntry: false });
    if (stat?.isFile() !== true || stat.size > LONGEST_RECORD) return [];
    return [dirname(resolve(linked, name, readFileSync(record, "utf8").trim()))];
  });
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  return [commonDir, ...main, ...trees];
}

/** How many milliseconds a lock has to be dead, twice looked at, before it is taken for that. */
const SETTLE_MS = 200;

/**
 * Sets dead locks aside, so that git works again. Call it under the work tree's lock.
 *
 * @returns The paths that they had.
 * @see SPEC.md, "Locks that were left"
 */
export async function clearGitLocks(
  repository: Repository,
  options: GitLockOptions = {},
): Promise<readonly string[]> {
  const dead = gitLocks(repository, options).filter(({ isDead }) => isDead);
  if (dead.length === 0) return [];
  // A git that has just begun is seen the second time.
  await sleep(SETTLE_MS);
  const still = gitLocks(repository, options).filter(
    ({ isDead, identity }) => isDead && dead.some((each) => each.identity === identity),
  );
  return still.filter(setLockAside).map(({ path }) => path);
}

/** @returns Whether it was still there. */
function setLockAside({ path, asidePath }: GitLock): boolean {
  try {
    renameSync(path, `${asidePath}.left-${new Date().toISOString().replaceAll(":", "")}`);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false; // its git has ended after all
    throw error;
  }
}

/** No link is followed, as node's own recursion does: what is behind one is not git's. */
function locksBelow(dir: string, folder: string): readonly string[] {
  const stat = lstatSync(join(dir, folder), { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return [];
  return readdirSync(join(dir, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return locksBelow(dir, path);
    return entry.isFile() && entry.name.endsWith(".lock") ? [path] : [];
  });
}

/** Whether a git, or what cannot be read, works in one of the folders. */
function isGitAtWork(places: readonly string[]): boolean {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  return pids.some((pid) => {
    try {
      if (!/^git\b/u.test(readFileSync(`/proc/${pid}/comm`, "utf8"))) return false;
      const workTree = readlinkSync(`/proc/${pid}/cwd`);
      const named = namedPlaces(pid).map((place) => resolve(workTree, place));
      return [workTree, ...named].some((path) => places.some((place) => isWithin(place, path)));
    } catch (error) {
      const isGone = codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH";
      return !isGone; // another user's git may be at work here
    }
  });
}

/** What a git may have been told to work on from elsewhere: `--git-dir`, `-C`, `GIT_DIR` and the like. */
function namedPlaces(pid: string): readonly string[] {
  const [args = [], variables = []] = ["cmdline", "environ"].map((name) =>
    readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0"),
  );
  const ofGit = variables.filter((entry) => entry.startsWith("GIT_"));
  const entries = [...args, ...ofGit].map((entry) => entry.replace(/^[\w-]+=/u, ""));
  return entries.filter((entry) => entry.includes("/"));
}

function isWithin(place: string, path: string): boolean {
  return path === place || path.startsWith(place + sep);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
