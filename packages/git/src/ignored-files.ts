import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isCacheFolder, withoutCaches } from "./caches.ts";
import { disarmFilters, readConfig } from "./config.ts";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import type { Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";

/** A file, or a link, that ignore rules keep out of every commit. */
export interface IgnoredFile {
  /** From the root. */
  readonly path: string;
  readonly bytes: number;
  /**
   * Of its last change of any kind, which nobody can set, or of the last move of a folder around it:
   * milliseconds since 1970, as the file system has it.
   */
  readonly changedMs: number;
}

/** What one line of git's list of ignored paths stands for. */
export interface IgnoredEntry {
  /** From the root; a folder's with a slash at its end. */
  readonly path: string;
  /** When the file or folder was made, or moved to where it is. */
  readonly sinceMs: number;
  /** All files in the folder but those in caches; of a file itself. */
  readonly files: readonly IgnoredFile[];
}

export interface IgnoredFiles {
  readonly entries: readonly IgnoredEntry[];
  /** Whether there are more files than were checked. */
  readonly isCut: boolean;
}

export interface IgnoredFilesOptions extends SignalOptions {
  /** How many files and folders are checked, those near the root first. @default 20,000 */
  readonly most?: number | undefined;
}

const MOST = 20_000;

/**
 * The files that ignore rules keep out of commits, also in folders that a rule names; caches of tools and
 * installed dependencies are left out. Starts one git process, two where the settings have changed.
 *
 * @throws {GitError} as `dirtyPaths` does; the signal's reason when aborted; what the file system does.
 */
export async function ignoredFiles(
  { root }: Pick<Repository, "root">,
  { most = MOST, signal }: IgnoredFilesOptions = {},
): Promise<IgnoredFiles> {
  const listed = await ignoredPaths(root, signal);
  const look: Look = { root, left: most, isCut: false, signal };
  const found = listed.map((path) => ({ path, sinceMs: 0, files: [] as IgnoredFile[] }));
  let next: Folder[] = [];
  for (const entry of found) {
    if (look.left === 0) look.isCut = true;
    if (look.isCut) break;
    look.left -= 1;
    const isFolder = entry.path.endsWith("/");
    const at = await lookAt(look, isFolder ? entry.path.slice(0, -1) : entry.path);
    if (at === undefined) continue;
    entry.sinceMs = Math.max(at.bornMs, at.movedMs);
    if (isFolder) next.push({ path: entry.path, movedMs: at.movedMs, files: entry.files });
    else entry.files.push(at.file);
  }
  while (next.length > 0 && !look.isCut) {
    const level: Folder[] = [];
    for (const folder of next) level.push(...(await lookInto(look, folder)));
    next = level;
  }
  return { entries: found.filter(({ files }) => files.length > 0), isCut: look.isCut };
}

/** What git lists: folders that a rule names as such, without what is in them; no caches. */
async function ignoredPaths(
  root: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const config = disarmFilters(await readConfig(root, { signal }));
  const args = ["status", "--porcelain", "-z", "--untracked-files=all", "--ignored=matching"];
  const asked = [...args, "--no-renames", "--ignore-submodules=all"];
  const output = await gitOutput("read", root, asked, { signal, config });
  const ignored = output.split("\0").filter((entry) => entry.startsWith("!! "));
  const entries = ignored.map((entry) => ({ path: inside(entry.slice(3)), status: "??" }));
  return withoutCaches(entries).dirty.map(({ path }) => path.replace(/\/\.$/u, "/"));
}

/** A folder as a path in it, by which it is known for a cache. */
function inside(path: string): string {
  return path.endsWith("/") ? `${path}.` : path;
}

interface Look {
  readonly root: string;
  /** How many more may be checked. */
  left: number;
  /** Whether there was more. */
  isCut: boolean;
  readonly signal: AbortSignal | undefined;
}

interface Folder {
  readonly path: string;
  readonly movedMs: number;
  /** Of the entry that it belongs to. */
  readonly files: IgnoredFile[];
}

interface Seen {
  readonly file: IgnoredFile;
  readonly bornMs: number;
  /** When it was moved, or its mode was set, where nothing was written to it since; else 0. */
  readonly movedMs: number;
}

async function lookAt({ root, signal }: Look, path: string): Promise<Seen | undefined> {
  signal?.throwIfAborted();
  try {
    const stat = await lstat(join(root, path));
    const isMoved = stat.ctimeMs > stat.mtimeMs;
    return {
      file: { path, bytes: stat.size, changedMs: stat.ctimeMs },
      bornMs: stat.birthtimeMs,
      movedMs: isMoved ? stat.ctimeMs : 0,
    };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Folders of dependencies and of tools that are always ignored, so that no commit has to leave them out. */
const INSTALLED: ReadonlySet<string> = new Set([
  ...["bower_components", ".next", ".nuxt", ".svelte-kit", ".angular", ".terraform", ".dart_tool"],
  ...[".eggs", ".vite", ".cache", ".pnpm-store"],
]);

/** @returns The folders in it. */
async function lookInto(look: Look, folder: Folder): Promise<readonly Folder[]> {
  const all = await namesIn(join(look.root, folder.path));
  const names = all.map(({ name }) => name);
  const path = folder.path.slice(0, -1);
  const isInstalled = INSTALLED.has(path.slice(path.lastIndexOf("/") + 1));
  if (isInstalled || isCacheFolder(path, names)) return [];
  const seen = all.slice(0, look.left);
  look.left -= seen.length;
  look.isCut ||= seen.length < all.length;
  const stats = await Promise.all(seen.map(({ name }) => lookAt(look, `${folder.path}${name}`)));
  return stats.flatMap((at, n): readonly Folder[] => {
    if (at === undefined) return [];
    const movedMs = Math.max(folder.movedMs, at.movedMs);
    const { file } = at;
    if (seen[n]?.isDirectory() === true) {
      return [{ path: `${file.path}/`, movedMs, files: folder.files }];
    }
    folder.files.push({ ...file, changedMs: Math.max(file.changedMs, movedMs) });
    return [];
  });
}

async function namesIn(path: string) {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}
