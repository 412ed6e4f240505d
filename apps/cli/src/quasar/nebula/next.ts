import type { NebulaState } from "@quasar/nebula";
import {
  findObstacles,
  type NebulaCost,
  nebulaCost,
  type NebulaNow,
  nebulaNow,
  type NebulaObstacle,
  treesToFix,
} from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openUser, repositoryOf } from "@quasar/runs/internal";
import type { Settings } from "../../shared/config/settings.ts";
import { withoutOwnHook } from "../run-options.ts";
import { branchStands } from "./branch-stands.ts";
import { githubRemote } from "./github-remote.ts";
import { type Raising, raisingOf } from "./limits.ts";
import { type Around, stepsOfNebula } from "./outcome.ts";
import { settingsIn } from "./user-settings.ts";

/** What has been read already; the rest is read. */
interface Known {
  readonly now?: NebulaNow | undefined;
  readonly cost?: NebulaCost | undefined;
  readonly settings?: Settings | undefined;
}

/** What is found of a nebula beside its state, which screens show, too. */
export interface FoundBeside {
  readonly raising: Raising;
  readonly obstacles: readonly NebulaObstacle[];
}

/** What the steps of a nebula depend on beside itself. */
export async function aroundOf(
  workspace: Workspace,
  state: NebulaState,
  { cost, settings }: Omit<Known, "now"> = {},
): Promise<Around & FoundBeside> {
  const { root, repositoryId } = workspace;
  const budgeted = {
    cost: cost ?? (await nebulaCost(repositoryId, state)),
    settings: settings ?? settingsIn(workspace),
  };
  return {
    raising: raisingOf(repositoryId, state, budgeted),
    remote: await githubRemote(root, state),
    branch: await branchStands(root, state),
    toFix: await treesToFix(repositoryOf(workspace), state, {
      env: process.env,
      state: openUser().folders.state,
    }),
    obstacles: await findObstacles(repositoryOf(workspace), state, { withoutOwnHook }),
  };
}

/** What a person types for a nebula as it stands at this moment. */
export async function nextOf(
  workspace: Workspace,
  state: NebulaState,
  { now, ...known }: Known = {},
): Promise<readonly string[]> {
  const at = now ?? (await nebulaNow(workspace.repositoryId, state));
  return stepsOfNebula(state, at, await aroundOf(workspace, state, known));
}
