import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { DirtyPath } from "./dirty-path.ts";
import { changedPaths } from "./history.ts";

/** When the file at a path was changed last, in nanoseconds; `undefined` where there is none. */
export type ChangeTimes = ReadonlyMap<string, bigint | undefined>;

/** @param paths - From the root. */
export function changeTimes(root: string, paths: readonly string[]): ChangeTimes {
  return new Map(paths.map((path) => [path, changeTime(join(root, path))]));
}

function changeTime(file: string): bigint | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
  } catch {
    return undefined; // a folder on the way is a file by now
  }
}

/** Between two looks, with a commit between them. */
export interface AroundCommit {
  /** The commit that HEAD was at; `""` where there was none. */
  readonly from: string;
  readonly to: string;
  /** What is uncommitted after it. */
  readonly dirty: readonly DirtyPath[];
}

/**
 * Of files that were to be committed those that a git hook has made what they were before: changed meanwhile, and
 * neither in the commit nor uncommitted. Git itself changes no file of the work tree in a commit. Starts a git process
 * only where a file was changed.
 *
 * @param before - Of the files that were to be committed, as they were then.
 * @throws {GitError} as `changedFiles`.
 */
export async function takenOut(
  root: string,
  before: ChangeTimes,
  { from, to, dirty }: AroundCommit,
): Promise<readonly string[]> {
  const left = new Set(dirty.map(({ path }) => path));
  const changed = [...before.keys()].filter(
    (path) => !left.has(path) && changeTime(join(root, path)) !== before.get(path),
  );
  if (changed.length === 0 || to === "") return changed;
  const committed = new Set(from === to ? [] : await changedPaths(root, from, to));
  return changed.filter((path) => !committed.has(path));
}
