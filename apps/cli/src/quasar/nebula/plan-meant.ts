import { isUnfinished, listNebulae, type NebulaState, unfinishedOf } from "@quasar/nebula";
import { type LoadedNebula, loadNebula } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { existsSync } from "node:fs";
import { workspaceOfNebula } from "./repository.ts";

/** A nebula that is to be planned. */
export interface Planned {
  readonly workspace: Workspace;
  /** Its folder, where that was named. */
  readonly loaded: LoadedNebula | undefined;
  /** The unfinished nebula of the folder, or of the name. */
  readonly begun: NebulaState | undefined;
}

/** What was named: a folder, or the name or id of a nebula that is unfinished. */
export async function meantByPlan(named: string): Promise<Planned> {
  if (!existsSync(named)) {
    const workspace = await openWorkspace(process.cwd());
    const open = listNebulae(workspace.repositoryId).filter(isUnfinished);
    const begun = open.find(({ id, name }) => id === named || name === named);
    if (begun !== undefined) return { workspace, loaded: undefined, begun };
  }
  const loaded = loadNebula(named);
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const { repositoryId } = workspace;
  return { workspace, loaded, begun: unfinishedOf(repositoryId, loaded.dir, loaded.spec?.name) };
}
