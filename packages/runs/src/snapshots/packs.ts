import { join } from "node:path";
import { readWholeFile } from "@quasar/durable";
import type { SnapshotPack } from "@quasar/git/snapshots";
import { namesIn } from "@quasar/process/files";
import { messageOf } from "../errors.ts";
import { isRealFolder } from "../real-folder.ts";
import type { Workspace } from "../workspace.ts";
import { decodeManifest } from "./manifest.ts";

/** The packs of a run's snapshots, and what is wrong with those that are none. */
export interface Packs {
  readonly packs: readonly SnapshotPack[];
  /** The highest number that is taken, by a damaged one too; 0 where there is none. */
  readonly last: number;
  readonly problems: readonly string[];
}

/** Where a run keeps the snapshots that no ref keeps any more. */
export function packsFolder({ runsDir }: Workspace, runId: string): string {
  return join(runsDir, runId, "snapshots");
}

export function packFile(folder: string, n: number): string {
  return join(folder, `${n}.pack`);
}

export function manifestFile(folder: string, n: number): string {
  return join(folder, `${n}.json`);
}

/** @throws {RunsError} `ERR_UNSAFE_PATH` where something else stands where the run's folders belong. */
export function listPacks(workspace: Workspace, runId: string): Packs {
  const folder = packsFolder(workspace, runId);
  if (!isRealFolder(join(folder, "..")) || !isRealFolder(folder)) return NONE;
  const packs: SnapshotPack[] = [];
  const problems: string[] = [];
  const numbers = numbersIn(folder);
  for (const n of numbers) {
    try {
      const pack = readPack(folder, n);
      if (pack !== undefined) packs.push(pack);
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  return { packs, last: numbers.at(-1) ?? 0, problems };
}

const NONE: Packs = { packs: [], last: 0, problems: [] };

/**
 * What is known of a pack.
 *
 * @returns `undefined` where there is none: what was not written to its end counts as none.
 * @throws Where it cannot be read, or is damaged.
 */
export function readPack(folder: string, n: number): SnapshotPack | undefined {
  const path = manifestFile(folder, n);
  const bytes = readWholeFile(path, { maxBytes: MOST_BYTES });
  if (bytes === undefined) return undefined;
  try {
    const snapshot = decodeManifest(bytes);
    if (snapshot.n !== n) throw new Error(`it is of snapshot ${snapshot.n}`);
    return { snapshot, file: packFile(folder, n) };
  } catch (error) {
    throw new Error(`${path} is damaged: ${messageOf(error)}`, { cause: error });
  }
}

/** Some hundred bytes for each changed file. */
const MOST_BYTES = 2 ** 28;

function numbersIn(folder: string): readonly number[] {
  const numbers = namesIn(folder).flatMap((name) => {
    const [, n] = /^([1-9]\d{0,8})\.json$/u.exec(name) ?? [];
    return n === undefined ? [] : [Number(n)];
  });
  return numbers.toSorted((a, b) => a - b);
}
