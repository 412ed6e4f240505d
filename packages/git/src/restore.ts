import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { disarmFilters, readConfig } from "./config.ts";
import { GitError, isGone } from "./errors.ts";
import type { ConfigPair } from "./environment.ts";
import { currentGitSha } from "./head.ts";
import { hiddenPaths } from "./hidden.ts";
import { openRepository } from "./repository.ts";
import { checkRevision, isMissing } from "./revision.ts";
import { git, gitFailed, gitOutput, type RunOptions } from "./run.ts";
import { isOwnPath, type Snapshot, takeSnapshot, type TakeSnapshotOptions } from "./snapshots.ts";
import { quoted } from "./text.ts";
import { pathBytes } from "./tree-stream.ts";

export interface RestoreSnapshotOptions extends TakeSnapshotOptions {
  /** What is to be brought back: the ref or the id of a snapshot. */
  readonly from: string;
}

export interface RestoredSnapshot {
  /** What the files were before; `undefined` where all of it was committed. */
  readonly replaced: Snapshot | undefined;
  /** Paths that were written or removed, from the root. */
  readonly changed: readonly string[];
}

/**
 * Makes the files of the work tree what a snapshot holds, after taking a snapshot of what they are:
 * `prefix`, `message`, `trailers` and `now` are of that one. HEAD, branch, index, stash and ignored
 * files stay as they are; folders that become empty go.
 *
 * @throws {GitError} `ERR_NOT_RESTORABLE` and `ERR_BAD_REVISION`, before a file was changed; and as
 *   `takeSnapshot` does. After any other failure the files that were there are in the new snapshot.
 * @see SPEC.md, "Restoring"
 */
export async function restoreSnapshot(
  workDir: string,
  { from, ...options }: RestoreSnapshotOptions,
): Promise<RestoredSnapshot> {
  const { signal } = options;
  const revision = checkRevision(from);
  const [{ root, gitDir }, config, target, flagged] = await Promise.all([
    openRepository(workDir, { signal }),
    readConfig(workDir, { signal }),
    commitOf(workDir, revision, signal),
    hiddenPaths(workDir, { signal }),
  ]);
  const replaced = await takeSnapshot(workDir, options);
  const now = replaced?.sha ?? (await committedTree(workDir, signal));
  const changes = await changesBetween(root, now, target.sha, signal);
  if (changes.length === 0) return { replaced, changed: [] };
  const own =
    target.parent === ""
      ? undefined
      : await changesBetween(root, target.parent, target.sha, signal);
  const raw = own === undefined ? changes : changes.filter(isAmong(own));

  refuseHidden(changes, flagged);
  await refuseObstacles(root, changes);
  const disarmed = disarmFilters(config);
  if (disarmed.length > 0) {
    await refuseFiltered(
      root,
      changes.filter((change) => !raw.includes(change)),
      signal,
    );
  }
  const index = join(gitDir, `index.quasar-${randomBytes(8).toString("hex")}`);
  const run = { signal, env: { GIT_INDEX_FILE: index }, config: [...disarmed, ...PLAIN] };
  try {
    await gitOutput("keep", root, ["read-tree", now], run);
    await gitOutput("keep", root, ["read-tree", "--reset", "-u", now, target.sha], run);
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
  for (const change of raw) await writeExactly(root, change, signal);
  return { replaced, changed: changes.map(({ path }) => utf8(path)) };
}

/** All paths are meant. */
const PLAIN: readonly ConfigPair[] = [
  ["core.sparseCheckout", "false"],
  ["core.splitIndex", "false"],
  ["core.untrackedCache", "false"],
  ["submodule.recurse", "false"],
];

interface Target {
  readonly sha: string;
  /** `""`: none. */
  readonly parent: string;
}

async function commitOf(
  workDir: string,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<Target> {
  const args = ["rev-list", "--no-walk", "--parents", "--max-count=1", revision, "--"];
  const result = await git("read", workDir, args, { signal });
  if (result.exitCode === 128 && (isMissing(result) || /^fatal: bad rev/m.test(result.stderr))) {
    throw new GitError("ERR_BAD_REVISION", `there is no snapshot ${revision}`);
  }
  if (result.exitCode !== 0) throw gitFailed(args, result);
  const [sha = "", parent = ""] = result.stdout.trim().split(" ");
  return { sha, parent };
}

/** The tree of HEAD, or an empty one where there is no commit. */
async function committedTree(workDir: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await currentGitSha(workDir, { signal });
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "ERR_NO_COMMITS") throw error;
    return (await gitOutput("keep", workDir, ["mktree"], { signal, input: "" })).trim();
  }
}

interface Change {
  /** Bytes, one a character. */
  readonly path: string;
  readonly oldMode: string;
  /** `000000`: it is not in the snapshot. */
  readonly mode: string;
  readonly sha: string;
}

async function changesBetween(
  root: string,
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<readonly Change[]> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-relative", from, to, "--"];
  const fields = (await gitOutput("read", root, args, LATIN1(signal))).split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [info = "", path = ""] = fields.slice(at, at + 2);
    const [oldMode = "", mode = "", , sha = ""] = info.replace(/^:/, "").split(" ");
    changes.push({ path, oldMode, mode, sha });
  }
  return changes;
}

const LATIN1 = (signal: AbortSignal | undefined): RunOptions => ({ signal, encoding: "latin1" });

/** What a snapshot holds as it was in the work tree: what differs from its parent. */
function isAmong(own: readonly Change[]): (change: Change) => boolean {
  const paths = new Set(own.map(({ path }) => path));
  return ({ path }) => paths.has(path);
}

const LINKED_REPOSITORY = "160000";

function refuseHidden(changes: readonly Change[], hidden: ReadonlySet<string>): void {
  for (const { path, mode, oldMode } of changes) {
    if (mode === LINKED_REPOSITORY || oldMode === LINKED_REPOSITORY) {
      throw notRestorable(path, "is a repository of its own in one of the two");
    }
    if (isOwnPath(path)) throw notRestorable(path, "belongs to Quasar");
    if (hidden.has(path)) {
      throw notRestorable(path, "is hidden from git (assume-unchanged, skip-worktree, sparse)");
    }
  }
}

/** What is in the way and in no snapshot must not be written over: it is ignored, or a repository. */
async function refuseObstacles(root: string, changes: readonly Change[]): Promise<void> {
  const leaving = new Set(changes.filter(isThere).map(({ path }) => path));
  for (const { path, mode, oldMode } of changes) {
    if (mode === "000000") continue;
    const above = await fileAbove(root, path);
    if (above !== undefined && !leaving.has(above)) throw notRestorable(above, "is in the way");
    // Where a file or a link goes that is above it, nothing can be at the path itself.
    if (above !== undefined || oldMode !== "000000") continue;
    const kind = await kindAt(root, path);
    if (kind === "file") throw notRestorable(path, "is in the way");
    if (kind === "folder") await refuseStrangers(root, path, leaving);
  }
}

/** The first part of the way to a path that is no folder. */
async function fileAbove(root: string, path: string): Promise<string | undefined> {
  const parts = path.split("/");
  for (let count = 1; count < parts.length; count += 1) {
    const folder = parts.slice(0, count).join("/");
    if ((await kindAt(root, folder)) === "file") return folder;
  }
  return undefined;
}

function isThere({ oldMode }: Change): boolean {
  return oldMode !== "000000";
}

/** A folder in the place of a file may hold only what goes. */
async function refuseStrangers(
  root: string,
  folder: string,
  leaving: ReadonlySet<string>,
): Promise<void> {
  for (const name of await readdir(pathBytes(root, folder), { encoding: "latin1" })) {
    const path = `${folder}/${name}`;
    if ((await kindAt(root, path)) === "folder") await refuseStrangers(root, path, leaving);
    else if (!leaving.has(path)) throw notRestorable(path, "is in the way");
  }
}

async function kindAt(root: string, path: string): Promise<"file" | "folder" | undefined> {
  try {
    return (await lstat(pathBytes(root, path))).isDirectory() ? "folder" : "file";
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** What only a filter could write is refused: no filter is started here. */
async function refuseFiltered(
  root: string,
  changes: readonly Change[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const paths = changes.filter(({ mode }) => mode !== "000000").map(({ path }) => utf8(path));
  if (paths.length === 0) return;
  const input = `${paths.join("\0")}\0`;
  const args = ["check-attr", "-z", "--stdin", "filter"];
  const fields = (await gitOutput("read", root, args, { signal, input })).split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", , value = ""] = fields.slice(at, at + 3);
    if (value === "unspecified" || value === "unset") continue;
    throw new GitError("ERR_NOT_RESTORABLE", `${quoted(path)} is written by a filter: ${HELP}`);
  }
}

const HELP = "git checkout <snapshot> -- <path> brings it back";

/** Where git has converted line endings on the way, the file becomes what it was, byte by byte. */
async function writeExactly(
  root: string,
  { path, mode, sha }: Change,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (mode !== "100644" && mode !== "100755") return;
  const file = pathBytes(root, path);
  const bytes = await readFile(file);
  const hash = createHash(sha.length === 64 ? "sha256" : "sha1");
  if (hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === sha) return;
  const wanted = await gitOutput("read", root, ["cat-file", "blob", sha], LATIN1(signal));
  const { O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;
  const handle = await open(file, O_WRONLY | O_TRUNC | O_NOFOLLOW);
  try {
    await handle.writeFile(Buffer.from(wanted, "latin1"));
  } finally {
    await handle.close();
  }
}

function notRestorable(path: string, why: string): GitError {
  return new GitError("ERR_NOT_RESTORABLE", `${quoted(utf8(path))} ${why}: nothing was changed`);
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
