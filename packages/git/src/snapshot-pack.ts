import { createReadStream } from "node:fs";
import { chmod, readdir, rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolders } from "@quasar/process/files";
import { GitError, isGone, messageOf } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { inObjectFolder } from "./object-folder.ts";
import { git, gitOutput, type RunOptions } from "./run.ts";
import type { Snapshot } from "./snapshots.ts";
import { quoted } from "./text.ts";
import { type TreeChange, treeChanges } from "./tree-changes.ts";

/** What of a snapshot is not in its pack, as data: to be kept beside it. */
export interface PackedSnapshot extends Omit<Snapshot, "ref"> {
  /** Of the snapshot's commit. */
  readonly tree: string;
  /** What differs from `head`. */
  readonly changes: readonly TreeChange[];
}

/** A snapshot that needs nothing of the repository: no ref, and no object. */
export interface SnapshotPack {
  readonly snapshot: PackedSnapshot;
  /** The file with the contents. */
  readonly file: string;
}

/**
 * Writes what a snapshot has changed, as it was and as it was kept, into a file: a pack of git's without deltas
 * against other objects. Takes the place of a file that is there; not synced.
 *
 * @param file - Its folder is made where it is missing.
 * @throws {GitError} `ERR_GIT_FAILED`, also where an object is lost; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`;
 *   the signal's reason when aborted.
 * @see SPEC.md, "Packs"
 */
export async function packSnapshot(
  workTree: string,
  { n, sha, head, createdAt, message }: Snapshot,
  file: string,
  { signal }: SignalOptions = {},
): Promise<PackedSnapshot> {
  const changes = await treeChanges(workTree, head, sha, { signal });
  const tree = await gitOutput("read", workTree, ["rev-parse", "--verify", `${sha}^{tree}`], {
    signal,
  });
  makeFolders(resolve(file, ".."));
  await inObjectFolder(workTree, file, { signal }, async (run, folder) => {
    const input = contentIds(changes)
      .map((id) => `${id}\n`)
      .join("");
    const args = ["pack-objects", "--quiet", "--window=0", "--no-reuse-delta", join(folder, "p")];
    await gitOutput("keep", workTree, args, { ...run, input });
    const made = (await readdir(folder)).find((name) => name.endsWith(".pack"));
    if (made === undefined) throw new GitError("ERR_GIT_FAILED", "git pack-objects made no pack");
    await chmod(join(folder, made), 0o600);
    await rename(join(folder, made), file);
  });
  return { n, sha, head, createdAt, message, tree: tree.trim(), changes };
}

/**
 * Reads a pack whole, and makes sure that it holds what the snapshot needs, each with the content of its id.
 *
 * @throws {GitError} `ERR_DAMAGED_PACK`; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when
 *   aborted.
 */
export async function verifySnapshotPack(
  workTree: string,
  pack: SnapshotPack,
  { signal }: SignalOptions = {},
): Promise<void> {
  await withPack(workTree, pack, { signal }, async () => {});
}

/** Has something done where git finds the objects of a pack beside those of the repository, and adds none to these. */
export async function withPack<T>(
  workTree: string,
  { snapshot, file }: SnapshotPack,
  options: SignalOptions,
  use: (run: RunOptions) => Promise<T>,
): Promise<T> {
  return inObjectFolder(workTree, file, options, async (run, folder) => {
    const input = createReadStream(file);
    // Without one, what cannot be opened would end the process.
    const opened = new Promise<void>((done, fail) => {
      input.once("open", () => done()).once("error", fail);
    });
    await opened.catch((error: unknown) => {
      const why = isGone(error) ? "is missing" : `cannot be read: ${messageOf(error)}`;
      throw damaged(file, why, error);
    });
    const args = ["index-pack", "--stdin", "--no-rev-index"];
    const { exitCode, stderr } = await git("keep", workTree, args, { ...run, input });
    if (exitCode !== 0) throw damaged(file, `is damaged: ${stderr.trim()}`);
    const ids = contentIds(snapshot.changes);
    const alone = { ...run, env: { GIT_OBJECT_DIRECTORY: folder } };
    const found = await gitOutput("keep", workTree, ["cat-file", "--batch-check=%(objecttype)"], {
      ...alone,
      input: ids.map((id) => `${id}\n`).join(""),
    });
    const isWhole = found === "blob\n".repeat(ids.length);
    if (!isWhole) throw damaged(file, "does not hold all that the snapshot has changed");
    return use(run);
  });
}

function damaged(file: string, why: string, cause?: unknown): GitError {
  return new GitError("ERR_DAMAGED_PACK", `${quoted(file)} ${why}`, { cause, path: file });
}

/** The contents that a pack holds: of both sides, links to other repositories have none. */
function contentIds(changes: readonly TreeChange[]): readonly string[] {
  const sides = changes.flatMap(({ base, kept }) => [base, kept]);
  return [...new Set(sides.flatMap((side) => (side && side.mode !== "160000" ? [side.id] : [])))];
}
