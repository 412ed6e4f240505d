import { access, constants, type FileHandle, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { nearestGitEntry } from "./discovery.ts";
import type { Environment } from "./environment.ts";
import { GitError, messageOf } from "./errors.ts";
import { quoted, tail } from "./text.ts";

/** Asks `git rev-parse` about the folder, bare or not; resolves to its output, if it has any. */
export type Ask = (flags: readonly string[]) => Promise<string | undefined>;

const NO_WORK_TREE =
  /^fatal: (?:cannot use bare repository|this operation must be run in a work tree)/m;
const NO_REPOSITORY =
  /^fatal: (?:not a git repository|invalid gitfile format|no path in gitfile|too large to be a \.git file|error (?:opening|reading) '?.*\.git)/m;
const FOREIGN_OWNER = /^fatal: detected dubious ownership in repository at '(.+)'$/m;

/**
 * Why git refuses to work in a folder; `undefined` where it fails for another reason.
 *
 * Git says "not a git repository" also where it failed to read one. So it is believed only where no
 * `.git` is found without it.
 *
 * @see SPEC.md, "No repository"
 */
export async function noWorkTree(
  workTree: string,
  stderr: string,
  environment: Environment,
  ask: Ask,
): Promise<GitError | undefined> {
  const [, owned] = FOREIGN_OWNER.exec(stderr) ?? [];
  if (owned !== undefined) return foreignOwner(owned);
  if (NO_WORK_TREE.test(stderr)) return bareOrInside(workTree, stderr, ask);
  if (!NO_REPOSITORY.test(stderr)) return undefined;
  const entry = await nearestGitEntry(workTree, environment);
  if (entry !== undefined) return unreadable(entry, (await whyUnusable(entry)) ?? tail(stderr));
  return environment["GIT_DIR"] === undefined ? noRepository(workTree, stderr) : steered(workTree);
}

function noRepository(workTree: string, stderr: string): GitError {
  return new GitError("ERR_NOT_A_REPOSITORY", `${quoted(workTree)}: ${tail(stderr)}`);
}

function steered(workTree: string): GitError {
  const message =
    `GIT_DIR names a repository, and is not followed: there is no .git at or above ` +
    `${quoted(workTree)}; go to a work tree with one, and unset GIT_DIR`;
  return new GitError("ERR_UNREADABLE_REPOSITORY", message);
}

function foreignOwner(path: string): GitError {
  const message = `${quoted(path)} belongs to another user, so git does not work in it`;
  return new GitError("ERR_FOREIGN_OWNER", message, { path });
}

function unreadable(entry: string, why: string): GitError {
  const message = `git cannot use ${quoted(entry)}: ${why}`;
  return new GitError("ERR_UNREADABLE_REPOSITORY", message, { path: entry });
}

/** Looks at what git needs of a `.git`; `undefined` where nothing is wrong with it now. */
async function whyUnusable(entry: string): Promise<string | undefined> {
  try {
    const gitDir = await gitDirOf(entry);
    if (gitDir === undefined) return undefined;
    await (await openToRead(join(gitDir, "HEAD"))).close();
    if (gitDir === entry) await access(join(gitDir, "objects"), constants.X_OK);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** More than any file that leads to a git folder; git takes no larger one either. */
const LONGEST_LINK = 2 ** 20;

/** The folder that a `.git` is or, being a file, leads to. */
async function gitDirOf(entry: string): Promise<string | undefined> {
  const handle = await openToRead(entry);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) return entry;
    if (!stat.isFile() || stat.size > LONGEST_LINK) return undefined;
    const [, target] = /^gitdir: (.*?)[\r\n]*$/s.exec(await handle.readFile("utf8")) ?? [];
    return target && resolve(dirname(entry), target);
  } finally {
    await handle.close();
  }
}

/** A pipe that stands in its place is not waited for. */
function openToRead(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

async function bareOrInside(workTree: string, stderr: string, ask: Ask): Promise<GitError> {
  const told = await ask(["--is-bare-repository", "--absolute-git-dir"]);
  const [isBare, ...path] = (told ?? "").split("\n").slice(0, -1);
  return isBare === "true" ? bare(path.join("\n")) : noRepository(workTree, stderr);
}

function bare(path: string): GitError {
  const message = `${quoted(path)} is a bare repository: there is no work tree in it`;
  return new GitError("ERR_BARE_REPOSITORY", message, { path });
}
