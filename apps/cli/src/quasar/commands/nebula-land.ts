import type { NebulaState } from "@quasar/nebula";
import { chooseNebula, isInLane, nebulaNow, noPhase } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { nebulaOfPhase } from "../nebula/choose.ts";
import { nextOf } from "../nebula/next.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { standingNow } from "../nebula/standing.ts";
import { workOnNebula } from "../nebula/work-on-nebula.ts";

export interface NebulaLandOptions {
  readonly nebula?: string | undefined;
  readonly trustConfig?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula land`: lands what is approved, and has no agent work. */
export async function nebulaLandCommand(
  phase: string | undefined,
  { nebula, trustConfig, json }: NebulaLandOptions,
): Promise<ExitCode> {
  refuseAgents("land");
  const workspace = await openWorkspace(process.cwd());
  const state = meantByLand(workspace, phase, nebula);
  await requireApproved(workspace, state, phase);
  const meant = { workspace, loaded: undefined, resumed: state };
  const options = { flags: {}, auto: true, trustConfig, json } as const;
  return workOnNebula(state.id, meant, options, { phase });
}

function meantByLand(
  { repositoryId }: Workspace,
  phase: string | undefined,
  nebula: string | undefined,
): NebulaState {
  const hasApproved = ({ phases }: NebulaState): boolean =>
    phases.some((each) => (phase === undefined || each.id === phase) && isInLane(each));
  if (phase !== undefined) {
    return nebulaOfPhase(repositoryId, nebula, { command: "land", phase, isFor: hasApproved });
  }
  return chooseNebula(repositoryId, nebula, {
    step: (id) => `quasar nebula land --nebula ${id}`,
    isFor: hasApproved,
  });
}

/** Refuses where nothing waits to land. @throws {CliError} `ERR_NOTHING_TO_RESUME`, `ERR_NOT_FOUND` */
async function requireApproved(
  workspace: Workspace,
  state: NebulaState,
  id: string | undefined,
): Promise<void> {
  const meant = state.phases.filter((phase) => id === undefined || phase.id === id);
  if (meant.some(isInLane)) return;
  const now = await nebulaNow(workspace.repositoryId, state);
  const next = await nextOf(workspace, state, { now });
  const [first] = meant;
  if (id !== undefined && first === undefined) throw noPhase(state, id);
  const message =
    id === undefined || first === undefined
      ? `nothing of the nebula ${cleanLine(state.name)} waits to land`
      : `${cleanLine(id)} does not wait to land (${standingNow(first, now)})`;
  throw new CliError("ERR_NOTHING_TO_RESUME", message, { next });
}
