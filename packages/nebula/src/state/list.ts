import { existsSync, realpathSync } from "node:fs";
import { namesIn } from "@quasar/process/files";
import { readSpec } from "./copy.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { isNebulaId, nebulaeFolder, nebulaHome } from "./home.ts";
import { isSettled, type NebulaState } from "./state.ts";
import { loadState } from "./store.ts";
import { isUnreadable, unreadableError, type UnreadableNebula } from "./unreadable.ts";

/**
 * The nebulae of a repository, the newest first, without {@link unreadableNebulae}.
 *
 * @throws The system's error where one cannot be read for a reason that says nothing of it.
 */
export function listNebulae(commonDir: string): readonly NebulaState[] {
  return readNebulae(commonDir)
    .flatMap((read) => ("state" in read ? read.state : []))
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
}

/** The nebulae of a repository that are damaged, of a later version, or another user's. @throws as {@link listNebulae} */
export function unreadableNebulae(commonDir: string): readonly UnreadableNebula[] {
  return readNebulae(commonDir).flatMap((read) => ("state" in read ? [] : read));
}

/**
 * Refuses what would begin or land beside a nebula of which nothing is known: it may be the one that is meant, and all of it
 * would be paid for again.
 *
 * @throws {NebulaError} `ERR_DAMAGED`, `ERR_INCOMPATIBLE_VERSION`
 */
export function refuseUnreadable(commonDir: string): void {
  const unreadable = unreadableNebulae(commonDir);
  if (unreadable.length > 0) throw unreadableError(unreadable);
}

type Read = UnreadableNebula | { readonly state: NebulaState };

/** A nebula that died before its first save has no state, and is none. */
function readNebulae(commonDir: string): readonly Read[] {
  const found = namesIn(nebulaeFolder(commonDir)).filter(isNebulaId);
  return found.flatMap((id): readonly Read[] => {
    const home = nebulaHome(commonDir, id);
    try {
      const state = loadState(home);
      return state === undefined ? [] : [{ state }];
    } catch (error) {
      if (isUnreadable(error)) return [{ id, path: home.state, error }];
      throw error;
    }
  });
}

/** What a nebula is worked on by: its own copy of its files, and the total that was typed. @throws {NebulaError} `ERR_DAMAGED` */
export function keptSpec(
  commonDir: string,
  { id, revision, typedTotalUsd }: NebulaState,
): NebulaSpec {
  return withTypedTotal(readSpec(nebulaHome(commonDir, id), revision), typedTotalUsd);
}

/** A nebula with the total, in US dollars, that a person has typed in place of that of its files. */
export function withTypedTotal(spec: NebulaSpec, typedUsd: number | undefined): NebulaSpec {
  if (typedUsd === undefined) return spec;
  const { execution } = spec;
  return { ...spec, execution: { ...execution, totalBudgetUsd: typedUsd, isTotalTyped: true } };
}

/** Whether there is something left to be done, by whomever. */
export function isUnfinished({
  phases,
  archivedFrom,
}: Pick<NebulaState, "phases" | "archivedFrom">): boolean {
  return archivedFrom === "" && !phases.every(isSettled);
}

/** Whether a nebula may still land something: also one that has ended, when what failed is retried. */
export function mayLand({
  phases,
  archivedFrom,
}: Pick<NebulaState, "phases" | "archivedFrom">): boolean {
  return archivedFrom === "" && phases.some(({ status }) => status !== "done");
}

/** Whether a nebula has phases that failed and that a person can have begin again. */
export function canRetry({
  phases,
  archivedFrom,
}: Pick<NebulaState, "phases" | "archivedFrom">): boolean {
  return archivedFrom === "" && phases.some(({ status }) => status === "failed");
}

/**
 * The unfinished nebula that was begun from a folder; `undefined` where there is none.
 *
 * @param dir - Absolute.
 * @param name - Of the nebula in it: one of this name whose own folder is gone was moved here, alone or with the
 *   repository. @default only by the folder
 * @throws {NebulaError} as {@link refuseUnreadable}, where it is none that can be read.
 */
export function unfinishedOf(
  commonDir: string,
  dir: string,
  name?: string,
): NebulaState | undefined {
  const path = realpathSync(dir);
  const open = listNebulae(commonDir).filter(isUnfinished);
  const isMoved = (nebula: NebulaState): boolean => nebula.name === name && !existsSync(nebula.dir);
  const found = open.find((nebula) => nebula.dir === path) ?? open.find(isMoved);
  if (found === undefined) refuseUnreadable(commonDir);
  return found;
}
