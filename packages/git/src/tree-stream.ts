import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";
import { GitError, isGone, messageOf } from "./errors.ts";
import { commitBegin, commitEnd, data, line } from "./import-stream.ts";
import type { StagedOnly } from "./status.ts";
import { quoted } from "./text.ts";

/** A commit as `git fast-import` is told of it. Paths are bytes, one a character (latin1). */
export interface CommitStream {
  readonly root: string;
  /** The commit's only parent, and where its tree begins; `""` is an empty tree and no parent. */
  readonly parent: string;
  /** The id of no object: as many zeros as the repository's ids have digits. */
  readonly nothing: string;
  /** `Name <address> <seconds> +0000`. */
  readonly committer: string;
  readonly message: string;
  /** What may differ from the parent: each is taken as it is in the work tree. */
  readonly paths: readonly string[];
  /** What is taken from the index instead. */
  readonly staged: readonly StagedOnly[];
}

/**
 * The input of `git fast-import` that makes the commit and prints its id, changing no ref. Files go
 * in byte by byte: no filter, no conversion of line endings.
 *
 * Without its last line git takes nothing, so a stream that breaks off leaves no half of a commit.
 */
export async function* commitStream(commit: CommitStream): AsyncGenerator<Buffer> {
  const { root, parent, nothing, committer, message, paths, staged } = commit;
  yield commitBegin(committer, message);
  if (parent !== "") yield line(`from ${parent}`);
  // First everything is taken out, so that a file can come where a folder was.
  for (const path of paths) yield line(`D ${cQuoted(path)}`);
  const folders = new Map<string, boolean>();
  for (const path of paths) {
    const entry = (await isInFolders(root, path, folders)) && (await entryAt(root, path));
    if (!entry) continue;
    yield line(`M ${entry.mode} inline ${cQuoted(path)}`);
    yield data(entry.bytes);
  }
  for (const { path, mode, id } of staged) yield line(`M ${mode} ${id} ${cQuoted(path)}`);
  yield commitEnd(nothing);
}

/** As git reads a name in double quotes, given its bytes, one a character; what is not plain ASCII is in octal. */
export function cQuoted(path: string): string {
  const escaped = path.replace(
    /[^ !#-[\]-~]/g,
    (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}

interface Entry {
  readonly mode: "100644" | "100755" | "120000";
  readonly bytes: Buffer;
}

/**
 * Whether all on the way to a path are folders. Behind a link that has come in the place of one nothing
 * is of the work tree.
 *
 * @param known - What was found of folders before; added to.
 */
async function isInFolders(
  root: string,
  path: string,
  known: Map<string, boolean>,
): Promise<boolean> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (folder === "") return true;
  const found = known.get(folder);
  if (found !== undefined) return found;
  const isOne = (await isInFolders(root, folder, known)) && (await isFolder(root, folder));
  known.set(folder, isOne);
  return isOne;
}

async function isFolder(root: string, path: string): Promise<boolean> {
  try {
    return (await lstat(pathBytes(root, path))).isDirectory();
  } catch (error) {
    if (isGone(error)) return false;
    throw new GitError("ERR_SNAPSHOT_FAILED", `${quoted(path)}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A file or a link as it is now; `undefined` where there is none, be there a folder or a device. */
async function entryAt(root: string, path: string): Promise<Entry | undefined> {
  const file = pathBytes(root, path);
  try {
    const stat = await lstat(file);
    if (stat.isSymbolicLink()) {
      return { mode: "120000", bytes: await readlink(file, { encoding: "buffer" }) };
    }
    if (!stat.isFile()) return undefined;
    const bytes = await readRegular(file);
    return { mode: (stat.mode & 0o100) === 0 ? "100644" : "100755", bytes };
  } catch (error) {
    if (isGone(error)) return undefined;
    const message = `${quoted(path)} could not be read: ${messageOf(error)}`;
    throw new GitError("ERR_SNAPSHOT_FAILED", message, { cause: error });
  }
}

/** The absolute path of bytes that git has named. */
export function pathBytes(root: string, path: string): Buffer {
  return Buffer.from(join(Buffer.from(root).toString("latin1"), path), "latin1");
}

async function readRegular(file: Buffer): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
