import { constants, copyFileSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nodeFileSystem, syncFiles } from "@quasar/durable";
import type { Repository } from "@quasar/git";
import { ignoredFiles } from "@quasar/git/internal";
import { makeFolders } from "@quasar/process/files";
import { TasksError } from "../errors.ts";
import { listed, plainLine, shellWord } from "../plain.ts";
import type { Ending } from "./ending.ts";
import { numbered } from "./names.ts";

type IgnoredEntry = Awaited<ReturnType<typeof ignoredFiles>>["entries"][number];

/** Of a work tree that goes, in all. */
const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 2 ** 20;

/**
 * Refuses to end a workspace whose ignored files are more than is kept of them.
 *
 * @throws {TasksError} `ERR_IGNORED`, with the command that deletes those that nobody needs
 */
export async function refuseTooMuchIgnored({ tree, options: { signal } }: Ending): Promise<void> {
  if (tree !== undefined) await keepable(tree, signal);
}

async function keepable(
  tree: Repository,
  signal: AbortSignal | undefined,
): Promise<IgnoredEntry["files"]> {
  const { entries, isCut } = await ignoredFiles(tree, { most: 2 * MOST_FILES, signal });
  if (!isCut && isKeepable(entries)) return entries.flatMap(({ files }) => files);
  const largest = entries.toSorted((a, b) => weightOf(b) - weightOf(a));
  const most = largest.findIndex((_, n) => isKeepable(largest.slice(n + 1))) + 1;
  const large = largest.slice(0, Math.max(1, most)).map(({ path }) => shellWord(path));
  const message =
    `nothing was removed: more files are ignored in ${tree.root} than are kept of it ` +
    `(${MOST_FILES} files, ${megabytes(MOST_BYTES)}): ${listed(largest.map(inWords))}. ` +
    "Move away what is needed; where nobody needs the largest, " +
    `git -C ${shellWord(tree.root)} clean -ffdX -- ${large.join(" ")} deletes it`;
  throw new TasksError("ERR_IGNORED", message);
}

function isKeepable(entries: readonly IgnoredEntry[]): boolean {
  const sum = (of: (entry: IgnoredEntry) => number): number =>
    entries.reduce((total, entry) => total + of(entry), 0);
  return sum(countOf) <= MOST_FILES && sum(sizeOf) <= MOST_BYTES;
}

function countOf({ files }: IgnoredEntry): number {
  return files.length;
}

function sizeOf({ files }: IgnoredEntry): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Of what may be kept the part that it takes. */
function weightOf(entry: IgnoredEntry): number {
  return Math.max(countOf(entry) / MOST_FILES, sizeOf(entry) / MOST_BYTES);
}

function inWords(entry: IgnoredEntry): string {
  const count = countOf(entry) === 1 ? "1 file" : `${countOf(entry)} files`;
  return `${plainLine(entry.path, 100)} (${count}, ${megabytes(sizeOf(entry))})`;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)} MiB`;
}

/**
 * Copies what is ignored in a work tree into a folder beside the workspace's tasks, durably: git has none of it.
 *
 * @returns The folder; `undefined` where nothing is ignored but caches and dependencies.
 * @throws {TasksError} as `refuseTooMuchIgnored` does; what the file system does.
 */
export async function keepIgnored(
  { dir, options: { signal } }: Ending,
  tree: Repository,
): Promise<string | undefined> {
  const files = await keepable(tree, signal);
  if (files.length === 0) return undefined;
  const folder = freeFolder(dir);
  const copied = files.filter(({ path }) => copy(join(tree.root, path), join(folder, path)));
  syncFiles(
    dir,
    copied.map(({ path }) => `${basename(folder)}/${path}`),
  );
  return folder;
}

function freeFolder(dir: string): string {
  for (const name of numbered("ignored")) {
    const folder = join(dir, name);
    if (nodeFileSystem.lstat(folder) !== undefined) continue;
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }
  throw new Error("there is no end to the names");
}

/** @returns Whether there was something to copy: a socket or a pipe holds nothing. */
function copy(from: string, to: string): boolean {
  const kind = nodeFileSystem.lstat(from)?.kind;
  if (kind !== "file" && kind !== "symlink") return false;
  makeFolders(dirname(to));
  if (kind === "symlink") symlinkSync(readlinkSync(from), to);
  else copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return true;
}
