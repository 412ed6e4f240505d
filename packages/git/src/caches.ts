import { git, type Profile, type RunOptions } from "./run.ts";
import type { DirtyPath } from "./dirty-path.ts";

/** Folders that tools keep for themselves, by their names. */
const NAMES: ReadonlySet<string> = new Set([
  ...["__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox"],
  ...["node_modules", ".turbo", ".parcel-cache", ".nyc_output", ".gradle"],
]);

/** Files by which a tool marks a folder of any name as its own: cargo's `target/`, a virtual environment. */
const MARKERS: ReadonlySet<string> = new Set(["CACHEDIR.TAG", "pyvenv.cfg"]);

/** Whether a folder is a cache by its name, or by one of the names in it. */
export function isCacheFolder(path: string, names: readonly string[]): boolean {
  return (
    NAMES.has(path.slice(path.lastIndexOf("/") + 1)) || names.some((name) => MARKERS.has(name))
  );
}

/** Changed paths, less those in caches. */
export interface WithoutCaches {
  readonly dirty: readonly DirtyPath[];
  /**
   * The outermost folders of caches that no commit holds. The status is `A.` where somebody has staged
   * files of one, else `??`.
   */
  readonly caches: readonly DirtyPath[];
}

/**
 * Sets the caches of tools apart from work. A folder of which HEAD has files is none: starts one git process
 * where there may be a cache.
 *
 * @param root - Of the work tree.
 */
export async function setCachesApart(
  profile: Profile,
  root: string,
  all: readonly DirtyPath[],
  options: RunOptions,
): Promise<WithoutCaches> {
  const apart = withoutCaches(all);
  if (apart.caches.length === 0) return apart;
  const folders = apart.caches.map(({ path }) => path);
  const args = ["ls-tree", "-z", "--name-only", "--full-tree", "HEAD", "--", ...folders];
  const { exitCode, stdout } = await git(profile, root, args, options);
  const held = exitCode === 0 ? stdout.split("\0").filter((path) => path !== "") : [];
  return held.length === 0 ? apart : withoutCaches(all, new Set(held));
}

/**
 * Sets the caches of tools apart from work: new files in a folder that is one by its name, or by a marker
 * in it. A folder in which a tracked file has changed is none.
 *
 * @param work - Folders that are none, whatever they are called. @default none
 */
export function withoutCaches(
  all: readonly DirtyPath[],
  work: ReadonlySet<string> = new Set(),
): WithoutCaches {
  const marked = new Set(all.filter(isNew).flatMap(({ path }) => markedBy(path)));
  const found = new Map<string, DirtyPath[]>();
  for (const entry of all) {
    const folder = isNested(entry) ? undefined : cacheOf(entry.path, marked, work);
    if (folder === undefined) continue;
    const entries = found.get(folder);
    if (entries === undefined) found.set(folder, [entry]);
    else entries.push(entry);
  }
  const held = new Set<DirtyPath>();
  const caches = [...found].flatMap(([path, entries]): readonly DirtyPath[] => {
    if (!entries.every(isNew)) return [];
    for (const entry of entries) held.add(entry);
    return [{ path, status: entries.some(({ status }) => status !== "??") ? "A." : "??" }];
  });
  return { dirty: all.filter((entry) => !held.has(entry)), caches };
}

/** Not tracked in HEAD, be it staged or not. */
function isNew({ status }: DirtyPath): boolean {
  return status === "??" || status.startsWith("A");
}

/** A repository within is no cache, wherever it lies: git lists it with a `/` at its end. */
function isNested({ path }: DirtyPath): boolean {
  return path.endsWith("/");
}

/** The folder that a path marks; the root of a work tree is never one. */
function markedBy(path: string): readonly string[] {
  const at = path.lastIndexOf("/");
  return at > 0 && MARKERS.has(path.slice(at + 1)) ? [path.slice(0, at)] : [];
}

function cacheOf(
  path: string,
  marked: ReadonlySet<string>,
  work: ReadonlySet<string>,
): string | undefined {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const folder = path.slice(0, at);
    const name = folder.slice(folder.lastIndexOf("/") + 1);
    if (!work.has(folder) && (NAMES.has(name) || marked.has(folder))) return folder;
  }
  return undefined;
}
