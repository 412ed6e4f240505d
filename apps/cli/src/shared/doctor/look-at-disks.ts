import { existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DiskFacts } from "./disk.ts";

/** A folder that a run writes in. */
export interface Written {
  /** What it is, in words. */
  readonly what: string;
  readonly path: string;
}

/** The file systems that folders are on, or will be made on: each once. */
export function lookAtDisks(folders: readonly Written[]): readonly DiskFacts[] {
  const devices = Map.groupBy(
    folders.map((folder) => ({ ...folder, path: existing(folder.path) })),
    ({ path }) => statSync(path).dev,
  );
  return [...devices.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { bavail, bsize, files, ffree } = statfsSync(first.path);
    const holds = [first, ...others].map(({ what }) => what);
    const freeFiles = files === 0 ? undefined : ffree;
    return [{ holds, path: first.path, freeBytes: bavail * bsize, freeFiles }];
  });
}

/** The nearest folder of a path that is there. */
export function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}
