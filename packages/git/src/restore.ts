import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { disarmFilters, readConfig } from "./config.ts";
import { GitError, isGone } from "./errors.ts";
import type { ConfigPair } from "./environment.ts";
import { currentHead } from "./head.ts";
import { hiddenPaths } from "./hidden.ts";
import { openRepository } from "./repository.ts";
import { checkRevision, checkSha, isMissing } from "./revision.ts";
import { git, gitFailed, gitOutput, type RunOptions } from "./run.ts";
import { type PackedSnapshot, type SnapshotPack, withPack } from "./snapshot-pack.ts";
import { isOwnPath, type Snapshot, takeSnapshot, type TakeSnapshotOptions } from "./snapshots.ts";
import { quoted } from "./text.ts";
import { type TreeChange, treeChanges } from "./tree-changes.ts";
import { pathBytes } from "./tree-stream.ts";

export interface RestoreSnapshotOptions extends TakeSnapshotOptions {
  /** What is to be brought back: the ref or the id of a snapshot, or its pack. */
  readonly from: string | SnapshotPack;
}

export interface RestoredSnapshot {
  /** What the files were before; `undefined` where all of it was committed. */
  readonly replaced: Snapshot | undefined;
  /** Paths that were written or removed, from the root. */
  readonly changed: readonly string[];
  /**
   * Whether every file is as it was. Where the commit that a packed snapshot was taken at is lost, only the files
   * are that the snapshot had changed.
   */
  readonly isWhole: boolean;
}

/**
 * Makes the files of the work tree what a snapshot holds, after taking a snapshot of what they are:
 * `prefix`, `message`, `trailers`, `after` and `now` are of that one. HEAD, branch, index, stash and ignored
 * files stay as they are; folders that become empty go.
 *
 * @throws {GitError} `ERR_NOT_RESTORABLE`, `ERR_BAD_REVISION` and `ERR_DAMAGED_PACK`, before a file was changed; and
 *   as `takeSnapshot` does. After any other failure the files that were there are in the new snapshot.
 * @see SPEC.md, "Restoring"
 */
export async function restoreSnapshot(
  workTree: string,
  { from, ...options }: RestoreSnapshotOptions,
): Promise<RestoredSnapshot> {
  const { signal } = options;
  if (typeof from !== "string") {
    return withPack(workTree, from, options, (run) =>
      restoreFrom(workTree, options, run, async (place) => packedTarget(place, from.snapshot)),
    );
  }
  const revision = checkRevision(from);
  const target = await commitOf(workTree, revision, signal);
  return restoreFrom(workTree, options, { signal }, async ({ root }) => {
    const { sha, parent } = target;
    if (parent === "") return { tree: sha, own: undefined, isWhole: true };
    const own = await treeChanges(root, parent, sha, { signal });
    return { tree: sha, own: new Set(own.map(({ path }) => path)), isWhole: true };
  });
}

/** What the work tree is to become. */
interface Target {
  /** A tree, or a commit. */
  readonly tree: string;
  /** Paths that are to be what they were byte by byte, as bytes, one a character; `undefined`: all. */
  readonly own: ReadonlySet<string> | undefined;
  readonly isWhole: boolean;
}

interface Place {
  readonly root: string;
  /** What there is now: a commit, or a tree. */
  readonly now: string;
  /** With an index that is nobody else's. */
  readonly run: RunOptions;
}

async function restoreFrom(
  workTree: string,
  options: TakeSnapshotOptions,
  { env }: RunOptions,
  findTarget: (place: Place) => Promise<Target>,
): Promise<RestoredSnapshot> {
  const { signal } = options;
  const [{ root, gitDir }, config, flagged] = await Promise.all([
    openRepository(workTree, { signal }),
    readConfig(workTree, { signal }),
    hiddenPaths(workTree, { signal }),
  ]);
  const replaced = await takeSnapshot(workTree, options);
  const disarmed = disarmFilters(config);
  const index = join(gitDir, `index.quasar-${randomBytes(8).toString("hex")}`);
  const run = {
    signal,
    env: { ...env, GIT_INDEX_FILE: index },
    config: [...disarmed, ...PLAIN],
  };
  try {
    const now = replaced?.sha ?? (await committedTree(workTree, run));
    const { tree, own, isWhole } = await findTarget({ root, now, run });
    const changes = await treeChanges(root, now, tree, run);
    if (changes.length === 0) return { replaced, changed: [], isWhole };
    const raw = own === undefined ? changes : changes.filter(({ path }) => own.has(path));

    refuseHidden(changes, flagged);
    await refuseObstacles(root, changes);
    if (disarmed.length > 0) {
      await refuseFiltered(
        root,
        changes.filter((change) => !raw.includes(change)),
        signal,
      );
    }
    await gitOutput("keep", root, ["read-tree", now], run);
    await gitOutput("keep", root, ["read-tree", "--reset", "-u", now, tree], run);
    for (const change of raw) await writeExactly(root, change, run);
    return { replaced, changed: changes.map(({ path }) => utf8(path)), isWhole };
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}

/** All paths are meant. */
const PLAIN: readonly ConfigPair[] = [
  ["core.sparseCheckout", "false"],
  ["core.splitIndex", "false"],
  ["core.untrackedCache", "false"],
  ["submodule.recurse", "false"],
];

/** The tree is made anew, of what the snapshot's commit was at, or of what there is now where that is lost. */
async function packedTarget(
  { root, now, run }: Place,
  { head, tree, changes }: PackedSnapshot,
): Promise<Target> {
  const base = head === "" ? ["--empty"] : [checkSha(head)];
  const isWhole = (await git("keep", root, ["read-tree", ...base], run)).exitCode === 0;
  if (!isWhole) await gitOutput("keep", root, ["read-tree", now], run);
  const nothing = "0".repeat(tree.length);
  // First everything is taken out, so that a file can come where a folder was.
  const entries = [
    ...changes.map(({ path }) => `0 ${nothing}\t${path}`),
    ...changes.flatMap(({ path, kept }) => (kept ? [`${kept.mode} ${kept.id}\t${path}`] : [])),
  ];
  const input = Readable.from(
    [Buffer.from(entries.map((each) => `${each}\0`).join(""), "latin1")],
    {
      objectMode: false,
    },
  );
  await gitOutput("keep", root, ["update-index", "-z", "--index-info"], { ...run, input });
  const made = (await gitOutput("keep", root, ["write-tree", "--missing-ok"], run)).trim();
  if (isWhole && made !== tree) {
    const message = "what is known of the snapshot does not give the files that it had";
    throw new GitError("ERR_DAMAGED_PACK", message);
  }
  return { tree: made, own: new Set(changes.map(({ path }) => path)), isWhole };
}

interface Named {
  readonly sha: string;
  /** `""`: none. */
  readonly parent: string;
}

async function commitOf(
  workTree: string,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<Named> {
  const args = ["rev-list", "--no-walk", "--parents", "--max-count=1", revision, "--"];
  const result = await git("read", workTree, args, { signal });
  if (result.exitCode === 128 && (isMissing(result) || /^fatal: bad rev/m.test(result.stderr))) {
    throw new GitError("ERR_BAD_REVISION", `there is no snapshot ${revision}`);
  }
  if (result.exitCode !== 0) throw gitFailed(args, result);
  const [sha = "", parent = ""] = result.stdout.trim().split(" ");
  return { sha, parent };
}

/** The tree of HEAD, or an empty one where there is no commit. */
async function committedTree(workTree: string, run: RunOptions): Promise<string> {
  const { head } = await currentHead(workTree, { signal: run.signal });
  if (head !== "") return head;
  return (await gitOutput("keep", workTree, ["mktree"], { ...run, input: "" })).trim();
}

const LINKED_REPOSITORY = "160000";

function refuseHidden(changes: readonly TreeChange[], hidden: ReadonlySet<string>): void {
  for (const { path, base, kept } of changes) {
    if (base?.mode === LINKED_REPOSITORY || kept?.mode === LINKED_REPOSITORY) {
      throw notRestorable(path, "is a repository of its own in one of the two");
    }
    if (isOwnPath(path)) throw notRestorable(path, "belongs to Quasar");
    if (hidden.has(path)) {
      throw notRestorable(path, "is hidden from git (assume-unchanged, skip-worktree, sparse)");
    }
  }
}

/** What is in the way and in no snapshot must not be written over: it is ignored, or a repository. */
async function refuseObstacles(root: string, changes: readonly TreeChange[]): Promise<void> {
  const leaving = new Set(changes.filter(({ base }) => base).map(({ path }) => path));
  for (const { path, base, kept } of changes) {
    if (kept === undefined) continue;
    const above = await fileAbove(root, path);
    if (above !== undefined && !leaving.has(above)) throw notRestorable(above, "is in the way");
    // Where a file or a link goes that is above it, nothing can be at the path itself.
    if (above !== undefined || base !== undefined) continue;
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
  changes: readonly TreeChange[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const paths = changes.filter(({ kept }) => kept).map(({ path }) => utf8(path));
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
  { path, kept }: TreeChange,
  run: RunOptions,
): Promise<void> {
  if (kept?.mode !== "100644" && kept?.mode !== "100755") return;
  const { id } = kept;
  const file = pathBytes(root, path);
  const bytes = await readFile(file);
  const hash = createHash(id.length === 64 ? "sha256" : "sha1");
  if (hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex") === id) return;
  const wanted = await gitOutput("read", root, ["cat-file", "blob", id], {
    ...run,
    encoding: "latin1",
  });
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
