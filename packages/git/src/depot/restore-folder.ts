import { mkdirSync } from "node:fs";
import { isAbsolute } from "node:path";
import { GitError, messageOf } from "../errors.ts";
import type { SignalOptions } from "../head.ts";
import { BlobBatch } from "../landing/blob-batch.ts";
import { failedOrMissing } from "../landing/missing-object.ts";
import { newFolder } from "../new-folder.ts";
import { entryAt } from "../plain-file.ts";
import { type OpenedRepository, rootOf } from "../repository.ts";
import { checkSha } from "../revision.ts";
import { git } from "../run.ts";
import { quoted } from "../text.ts";
import { pathBytes } from "../tree-stream.ts";
import { FileWriter } from "./file-writer.ts";
import { parseFolderTree, type TreeEntry } from "./folder-tree.ts";

export interface FolderToRestore extends SignalOptions {
  /** Full id of a commit that `commitFolder` has made, here or elsewhere: of anybody. */
  readonly commit: string;
  /** Absolute; nothing may be there. */
  readonly dir: string;
  /** Of all files together. */
  readonly maxBytes: number;
}

/** More names than any folder of Quasar has; a tree of a few bytes can have billions. */
const MAX_LISTED_BYTES = 2 ** 25;

/**
 * Writes the files of a commit into a new folder, whole or not at all, durably; only their owner may read them. The commit may
 * be hostile: only plain files and folders are written, and only within the folder.
 *
 * @throws {GitError} `ERR_NOT_RESTORABLE` where it holds anything else, or more, or something is there; `ERR_MISSING_OBJECT`;
 *   `ERR_INVALID_ARGUMENT`, `ERR_BAD_REVISION`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's
 *   reason when aborted. After any of them nothing is left.
 * @see SPEC.md, "Depots"
 */
export async function restoreFolder(
  repository: string | OpenedRepository,
  { commit, dir, maxBytes, signal }: FolderToRestore,
): Promise<void> {
  checkSha(commit);
  if (!isAbsolute(dir) || dir.includes("\0")) {
    throw new GitError("ERR_INVALID_ARGUMENT", `${quoted(dir)} is no absolute path`);
  }
  if (entryAt(dir) !== undefined) throw notRestorable(commit, `${quoted(dir)} is there already`);
  const root = rootOf(repository);
  const entries = await entriesOf(root, commit, signal);
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > maxBytes) throw notRestorable(commit, `it has ${total} bytes, more than ${maxBytes}`);
  try {
    await newFolder(dir, 0o700, (folder) => writeEntries(root, entries, folder, signal));
  } catch (error) {
    if (error instanceof GitError || signal?.aborted === true) throw error;
    throw notRestorable(commit, messageOf(error), error);
  }
}

async function entriesOf(
  root: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-r", "-t", "-z", "--long", "--full-tree", `${commit}^{commit}`];
  const tooMuch = new AbortController();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onStdout = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MAX_LISTED_BYTES) tooMuch.abort(notRestorable(commit, "it has too many files"));
    else chunks.push(chunk);
  };
  const either = AbortSignal.any([tooMuch.signal, ...(signal === undefined ? [] : [signal])]);
  const result = await git("read", root, args, { signal: either, onStdout });
  if (result.exitCode !== 0) throw failedOrMissing(args, result);
  try {
    return parseFolderTree(Buffer.concat(chunks).toString("latin1"));
  } catch (error) {
    throw error instanceof GitError ? error : notRestorable(commit, messageOf(error), error);
  }
}

async function writeEntries(
  root: string,
  entries: readonly TreeEntry[],
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { kind, path } of entries) {
    if (kind === "folder") mkdirSync(pathBytes(folder, path), { mode: 0o700 });
  }
  const files = entries.filter(({ kind }) => kind === "file");
  const failed = new AbortController();
  const writer = new FileWriter(files, (path) => pathBytes(folder, path), failed);
  const batch = new BlobBatch(writer);
  const either = AbortSignal.any([failed.signal, ...(signal === undefined ? [] : [signal])]);
  const input = files.map(({ id }) => `${id}\n`).join("");
  const args = ["cat-file", "--batch"];
  try {
    const onStdout = (chunk: Buffer): void => batch.write(chunk);
    const result = await git("read", root, args, { signal: either, input, onStdout });
    if (result.exitCode !== 0) throw failedOrMissing(args, result);
  } finally {
    writer.close();
  }
  failed.signal.throwIfAborted();
  if (!writer.isDone) throw new Error("git did not give all of its files");
}

function notRestorable(commit: string, why: string, cause?: unknown): GitError {
  const message = `commit ${commit} cannot be restored: ${why}`;
  return new GitError("ERR_NOT_RESTORABLE", message, { cause });
}
