import { lstatSync, readdirSync, readFileSync, readlinkSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./read-input.ts";
import type { Session } from "./session.ts";
import type { Workspace } from "./workspace.ts";

/** A lock file of git's. */
export interface GitLock {
  readonly path: string;
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
    return stat === undefined ? [] : [{ path, madeAt: stat.mtimeMs }];
  });
  if (there.length === 0) return [];
  const boot = bootTimeMs();
  const isIdle = boot !== undefined && !isGitAtWork(workspace);
  return there.map(({ path, madeAt }) => ({
    path,
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
  if (!gitLocks(workspace).some(({ isDead }) => isDead)) return [];
  // A git that has just begun is seen the second time.
  await sleep(SETTLE_MS);
  const dead = gitLocks(workspace).filter(({ isDead }) => isDead);
  for (const { path } of dead) setLockAside(path);
  return dead.map(({ path }) => path);
}

/** {@link clearGitLocks}, told to the user. */
export async function freeGit({ workspace, reporter }: Session): Promise<void> {
  for (const path of await clearGitLocks(workspace)) {
    const message = `${path} was left by a git that is gone: it is set aside`;
    reporter.report({ type: "notice", message });
  }
}

export function setLockAside(path: string): void {
  renameSync(path, `${path}.left-${new Date().toISOString().replaceAll(":", "")}`);
}

function locksBelow(dir: string): readonly string[] {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return [];
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".lock")).map((name) => join(dir, name));
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
      return places.some((place) => !relative(place, workDir).startsWith(".."));
    } catch (error) {
      const isGone = codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH";
      return !isGone; // another user's git may be at work here
    }
  });
}
