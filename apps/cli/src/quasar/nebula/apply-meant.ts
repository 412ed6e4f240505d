import {
  findNebula,
  isUnfinished,
  listNebulae,
  type NebulaState,
  unfinishedOf,
} from "@quasar/nebula";
import { awaitsPush, hasTrees, refuseWorkedOn, unfinishedError } from "@quasar/nebula/internal";
import { type LoadedNebula, loadNebula } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { openUser, openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { existsSync } from "node:fs";
import { CliError } from "../../shared/errors.ts";
import type { NebulaApplyOptions } from "./apply-options.ts";
import { workspaceOfNebula } from "./repository.ts";

/** A nebula that is to be worked on. */
export interface Meant {
  readonly workspace: Workspace;
  readonly loaded: LoadedNebula | undefined;
  readonly resumed: NebulaState | undefined;
}

/** The nebula that was named: by its folder, or one that has begun by its name or id too. */
export async function meantByApply(
  named: string,
  { resume, fresh, push }: Pick<NebulaApplyOptions, "resume" | "fresh" | "push">,
): Promise<Meant> {
  const wanted = { resume: resume === true, push: push === true };
  if (!existsSync(named)) {
    const workspace = await openWorkspace(process.cwd());
    const found = findNebula(workspace.repositoryId, named);
    return { workspace, loaded: undefined, resumed: unfinished(workspace, found, wanted) };
  }
  const loaded = loadNebula(named);
  const workspace = await workspaceOfNebula(loaded.dir, process.cwd());
  const begun =
    unfinishedOf(workspace.repositoryId, loaded.dir, loaded.spec?.name) ??
    (resume === true ? lastOf(workspace, loaded.dir) : undefined);
  if (begun !== undefined && fresh !== true) {
    return { workspace, loaded, resumed: unfinished(workspace, begun, wanted) };
  }
  if (resume === true) {
    throw new CliError("ERR_NOTHING_TO_RESUME", `${cleanLine(named)} has no unfinished nebula`, {
      next: [`quasar nebula plan ${shellWord(named)}`],
    });
  }
  return { workspace, loaded, resumed: undefined };
}

/** The nebula that was begun from a folder last, even if it has ended: its work trees may be there yet. */
function lastOf({ repositoryId }: Workspace, dir: string): NebulaState | undefined {
  return listNebulae(repositoryId).find((state) => state.dir === dir && state.archivedFrom === "");
}

/** One that can be resumed, and is to be. @throws {NebulaError} where an engine works on it, or nobody has said so. */
function unfinished(
  workspace: Workspace,
  state: NebulaState,
  { resume, push }: { readonly resume: boolean; readonly push: boolean },
): NebulaState {
  refuseWorkedOn(workspace.repositoryId, state);
  const places = { env: process.env, state: openUser().folders.state };
  const hasMore =
    awaitsPush({ ...state, isPushAsked: push || state.isPushAsked }) ||
    hasTrees(repositoryOf(workspace), state, places);
  if (!isUnfinished(state) && !(resume && hasMore)) {
    throw new CliError("ERR_NOTHING_TO_RESUME", `the nebula ${cleanLine(state.name)} has ended`, {
      next: [`quasar nebula status ${state.id}`],
    });
  }
  if (resume) return state;
  throw unfinishedError(state);
}
