import { accessSync, constants, existsSync, readdirSync, rmdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Repository } from "@quasar/git";
import { withoutLinks } from "@quasar/process/files";
import type { NebulaState } from "../state/state.ts";

type OfRepository = Pick<Repository, "root" | "commonDir">;

/** Where work trees may be kept: environment variables, and the user's folder for state. */
export interface TreePlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `$XDG_STATE_HOME/quasar`. */
  readonly state: string;
}

/**
 * The folder of the work trees of a nebula: where an engine has made them before, unless that is gone and `QUASAR_TREES`
 * names another one, or the repository was moved or copied since. A new one is beside the repository, where its own tools look
 * for nothing, and never inside a work tree of it. It is the same from each work tree of the repository, and the path
 * that git knows it by: without links.
 */
export function treesFolder(
  repository: OfRepository,
  { id, trees, treesOf }: Pick<NebulaState, "id" | "trees" | "treesOf">,
  places: TreePlaces,
): string {
  const kept = treesOf === repository.commonDir ? trees : undefined;
  if (kept !== undefined && (existsSync(kept) || namedIn(places) === "")) return kept;
  return withoutLinks(newFolder(repository, id, places));
}

function newFolder(repository: OfRepository, id: string, places: TreePlaces): string {
  const root = mainRoot(repository);
  const named = namedIn(places);
  if (named !== "") return resolve(named, `${basename(root)}-${id}`);
  const parent = dirname(root);
  if (isWritable(parent)) return join(besideOf(root), id);
  return join(places.state, "trees", `${basename(root)}-${id}`);
}

function namedIn({ env }: TreePlaces): string {
  return env["QUASAR_TREES"] ?? "";
}

/** The folder beside a repository that holds the trees of all its nebulae. */
function besideOf(root: string): string {
  return join(dirname(root), `.${basename(root)}.quasar`);
}

/** Removes a nebula's folder of trees, and the one that it is in beside the repository, where nothing is in them. */
export function removeEmptyFolders(repository: OfRepository, trees: string): void {
  for (const folder of [trees, besideOf(mainRoot(repository))]) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

/** The main work tree where there is one, else the one at hand. */
function mainRoot({ root, commonDir }: OfRepository): string {
  return basename(commonDir) === ".git" ? dirname(commonDir) : root;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
