import { existsSync, realpathSync } from "node:fs";
import { DurableError } from "@quasar/durable";
import { hasErrno, namesIn } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import { readSpec } from "./copy.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { isNebulaId, nebulaeFolder, nebulaHome } from "./home.ts";
import { noNebula } from "./no-nebula.ts";
import { isSettled, type NebulaState } from "./state.ts";
import { loadState } from "./store.ts";

/**
 * The nebulae of a repository, the newest first. One that is damaged, or another user's, is left out.
 *
 * @throws The system's error where one cannot be read for another reason.
 */
export function listNebulae(commonDir: string): readonly NebulaState[] {
  const found = namesIn(nebulaeFolder(commonDir)).filter(isNebulaId);
  return found
    .flatMap((id) => readable(commonDir, id) ?? [])
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
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
 */
export function unfinishedOf(
  commonDir: string,
  dir: string,
  name?: string,
): NebulaState | undefined {
  const path = realpathSync(dir);
  const open = listNebulae(commonDir).filter(isUnfinished);
  const isMoved = (nebula: NebulaState): boolean => nebula.name === name && !existsSync(nebula.dir);
  return open.find((nebula) => nebula.dir === path) ?? open.find(isMoved);
}

function readable(commonDir: string, id: string): NebulaState | undefined {
  try {
    return loadState(nebulaHome(commonDir, id));
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Whether an error says of a state that it is damaged, or another user's; any other says nothing of it. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof NebulaError || error instanceof DurableError) return true;
  return hasErrno(error, "EACCES", "EPERM", "ENOTDIR");
}

/**
 * The nebula that a person means: by its id, its name or its folder; without any the only one that is unfinished, else
 * the newest.
 *
 * @throws {NebulaError} `ERR_NOT_FOUND`; `ERR_USAGE` where several are meant.
 */
export function findNebula(commonDir: string, named: string | undefined): NebulaState {
  const all = listNebulae(commonDir);
  const meant =
    named === undefined ? all : all.filter(({ id, name, dir }) => [id, name, dir].includes(named));
  const open = meant.filter(isUnfinished);
  const [first, second] = open.length > 0 ? open : meant.slice(0, 1);
  if (first === undefined) throw noNebula(named, all);
  if (second !== undefined) {
    const ids = open.map(({ id, name }) => `${id} (${JSON.stringify(name)})`).join(", ");
    throw new NebulaError("ERR_USAGE", `several nebulae are meant; name one by its id: ${ids}`);
  }
  return first;
}
