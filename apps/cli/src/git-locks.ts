import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./read-input.ts";
import type { Session } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/** A lock file of git's. */
export interface GitLock {
  readonly path: string;
  /** Which file it is: another lock may come to have its path. */
  readonly identity: string;
  /** Whether whoever made it is gone: a power cut or a kill has left it. */
  readonly isDead: boolean;
}

/**
 * Lock files of git's in a work tree's repository. One is dead that is older than this boot, or that
 * is there while no git works in the tree; where nobody can know, none is.
 */
export function gitLocks(workspace: Workspace): readonly GitLock[] {
  const { gitDir, repositoryId: commonDir } = workspace;
  const paths = [
    ...["index.lock", "HEAD.lock"].map((name) => join(gitDir, name)),
    join(commonDir, "packed-refs.lock"),
    ...locksBelow(join(commonDir, "refs", "heads")),
  ];
  const there = paths.flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    return [{ path, identity: `${stat.ino} ${stat.mtimeMs}`, madeAt: stat.mtimeMs }];
  });
  if (there.length === 0) return [];
  const boot = bootTimeMs();
  const isIdle = boot !== undefined && !isGitAtWork(workspace);
  return there.map(({ madeAt, ...lock }) => ({
    ...lock,
    isDead: boot !== undefined && (madeAt < boot || isIdle),
  }));
}

/** How long a lock has to be dead, twice looked at, before it is taken for that. */
const SETTLE_MS = 200;

/**
 * Sets dead locks aside, so that git works again. Call it under the work tree's lock.
 *
 * @returns The paths that they had.
 */
export async function clearGitLocks(workspace: Workspace): Promise<readonly string[]> {
  const dead = gitLocks(workspace).filter(({ isDead }) => isDead);
  if (dead.length === 0) return [];
  // A git that has just begun is seen the second time.
  await sleep(SETTLE_MS);
  const still = gitLocks(workspace).filter(
    ({ isDead, identity }) => isDead && dead.some((each) => each.identity === identity),
  );
  return still.filter((lock) => setAside(workspace, lock)).map(({ path }) => path);
}

/** {@link clearGitLocks}, told to the user. */
export async function freeGit({ workspace, reporter }: Session): Promise<void> {
  for (const path of await clearGitLocks(workspace)) {
    const message = `${path} was left by a git that is gone: it is set aside`;
    reporter.report({ type: "notice", message });
  }
}

/** Beside where it was, but for a ref's lock: git takes what is among its refs for one of them. */
function setAside({ repositoryId: commonDir }: Workspace, { path }: GitLock): boolean {
  const isRefs = path.startsWith(join(commonDir, "refs") + sep);
  const name = isRefs ? relative(commonDir, path).replaceAll(sep, "~") : basename(path);
  const time = new Date().toISOString().replaceAll(":", "");
  try {
    const dir = isRefs ? commonDir : dirname(path);
    renameSync(path, join(dir, `${name.slice(-LONGEST)}.left-${time}`));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false; // its git has ended after all
    throw error;
  }
}

/** Of a name that gets an ending, in characters. */
const LONGEST = 80;

/** No link is followed, as node's own recursion does: what is behind one is not git's. */
function locksBelow(dir: string): readonly string[] {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return locksBelow(path);
    return entry.isFile() && entry.name.endsWith(".lock") ? [path] : [];
  });
}

/** When this machine was started; `undefined` where nobody says. */
function bootTimeMs(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, seconds] = /^btime (\d+)$/mu.exec(readFileSync("/proc/stat", "utf8")) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** Whether a git, or what cannot be looked at, works in the tree or its git folder. */
function isGitAtWork({ root, gitDir, repositoryId }: Workspace): boolean {
  const places = [root, gitDir, repositoryId];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  return pids.some((pid) => {
    try {
      if (!/^git\b/u.test(readFileSync(`/proc/${pid}/comm`, "utf8"))) return false;
      const workDir = readlinkSync(`/proc/${pid}/cwd`);
      const named = namedPlaces(pid).map((place) => resolve(workDir, place));
      return [workDir, ...named].some((path) => places.some((place) => isWithin(place, path)));
    } catch (error) {
      const isGone = codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH";
      return !isGone; // another user's git may be at work here
    }
  });
}

/** What a git may have been told to work on from elsewhere: `--git-dir`, `-C`, `GIT_DIR` and the like. */
function namedPlaces(pid: string): readonly string[] {
  const [args, variables] = ["cmdline", "environ"].map((name) =>
    readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0"),
  );
  const ofGit = variables?.filter((entry) => entry.startsWith("GIT_")) ?? [];
  const entries = [...(args ?? []), ...ofGit].map((entry) => entry.replace(/^[\w-]+=/u, ""));
  return entries.filter((entry) => entry.includes("/"));
}

function isWithin(place: string, path: string): boolean {
  return path === place || path.startsWith(place + sep);
}
