import { findNebula, isUnfinished, type NebulaState, unfinishedOf } from "@quasar/nebula";
import { type LoadedNebula, loadNebula } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import { existsSync } from "node:fs";
import { CliError } from "../../shared/errors.ts";
import { workspaceOfNebula } from "./repository.ts";

/** A nebula that is to be planned. */
export interface Planned {
  readonly workspace: Workspace;
  /** Its folder, where that was named. */
  readonly loaded: LoadedNebula | undefined;
  /** The unfinished nebula of the folder, or of the name. */
  readonly begun: NebulaState | undefined;
}

/**
 * What was named: a folder, or the name or id of a nebula that is unfinished.
 *
 * @throws {CliError} `ERR_NOTHING_TO_RESUME` where it has ended and its folder was not named.
 * @throws {NebulaError} as `findNebula`
 */
export async function meantByPlan(named: string): Promise<Planned> {
  if (!existsSync(named)) {
    const workspace = await openWorkspace(process.cwd());
    const begun = findNebula(workspace.repositoryId, named);
    if (isUnfinished(begun)) return { workspace, loaded: undefined, begun };
    const message = `the nebula ${cleanLine(begun.name)} has ended: nothing of it is to be planned`;
    throw new CliError("ERR_NOTHING_TO_RESUME", message, {
      next: [`quasar nebula status ${begun.id}`],
    });
  }
  const loaded = loadNebula(named);
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const { repositoryId } = workspace;
  return { workspace, loaded, begun: unfinishedOf(repositoryId, loaded.dir, loaded.spec?.name) };
}
