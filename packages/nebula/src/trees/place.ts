import { accessSync, constants, existsSync, readdirSync, rmdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Where work trees may be kept: environment variables, and the user's folder for state. */
export interface TreePlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `$XDG_STATE_HOME/quasar`. */
  readonly state: string;
}

/**
 * The folder of the work trees of a nebula: beside the repository, where its own tools look for nothing, and never
 * inside a work tree of it.
 *
 * @param root - Of the repository's main work tree.
 */
export function treesFolder(root: string, id: string, { env, state }: TreePlaces): string {
  const named = env["QUASAR_TREES"] ?? "";
  if (named !== "") return join(named, `${basename(root)}-${id}`);
  const parent = dirname(root);
  if (isWritable(parent)) return join(besideOf(root), id);
  return join(state, "trees", `${basename(root)}-${id}`);
}

/** The folder beside a repository that holds the trees of all its nebulae. */
function besideOf(root: string): string {
  return join(dirname(root), `.${basename(root)}.quasar`);
}

/** Removes a nebula's folder of trees, and the one that it is in beside the repository, where nothing is in them. */
export function removeEmptyFolders(root: string, trees: string): void {
  for (const folder of [trees, besideOf(root)]) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
