import { accessSync, constants } from "node:fs";
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
  if (isWritable(parent)) return join(parent, `.${basename(root)}.quasar`, id);
  return join(state, "trees", `${basename(root)}-${id}`);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
