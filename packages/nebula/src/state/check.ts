import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Repository } from "@quasar/git";
import { listWorktrees } from "@quasar/git/work-trees";
import type { NebulaError } from "../errors.ts";
import { isNebulaId, nebulaeFolder, nebulaHome } from "./home.ts";
import { canRetry, isUnfinished } from "./list.ts";
import type { NebulaState } from "./state.ts";
import { loadState } from "./store.ts";
import { isUnreadable, unreadableText, wayOut } from "./unreadable.ts";

/** Something about a nebula that is not as it should be. Hostile text in it is not cleaned. */
export type NebulaProblem =
  /** What is kept of it cannot be read: in which folder, why, and what helps. */
  | {
      readonly kind: "unreadable";
      readonly folder: string;
      readonly message: string;
      readonly next: NebulaError["next"];
    }
  /** It has ended, with nothing to be retried, and work trees of it are left. */
  | {
      readonly kind: "trees_left";
      readonly nebula: NebulaState;
      readonly paths: readonly string[];
    };

/** What crashes and people have left of the nebulae of a repository. Changes nothing. */
export async function checkNebulae({
  root,
  commonDir,
}: Repository): Promise<readonly NebulaProblem[]> {
  const folder = nebulaeFolder(commonDir);
  if (!existsSync(folder)) return [];
  const trees = await listWorktrees(root);
  return readdirSync(folder)
    .filter(isNebulaId)
    .flatMap((id) => problemOf(nebulaHome(commonDir, id), id, trees) ?? []);
}

function problemOf(
  home: ReturnType<typeof nebulaHome>,
  id: string,
  trees: readonly { readonly path: string }[],
): NebulaProblem | undefined {
  let nebula: NebulaState | undefined;
  try {
    nebula = loadState(home);
  } catch (error) {
    const found = { id, path: home.state, error };
    const next = isUnreadable(error) ? [wayOut(found)] : [];
    return { kind: "unreadable", folder: home.dir, message: unreadableText([found]), next };
  }
  // One that died before its first save has nothing, and the next begins afresh.
  if (nebula === undefined || isUnfinished(nebula) || canRetry(nebula)) return undefined;
  const paths = trees.map(({ path }) => path).filter((path) => isTreeOf(id, path));
  return paths.length === 0 ? undefined : { kind: "trees_left", nebula, paths };
}

/** Whether a work tree is one of a nebula's. @param path - Its top folder. */
export function isTreeOf(id: string, path: string): boolean {
  const folder = basename(dirname(path));
  return folder === id || folder.endsWith(`-${id}`);
}
