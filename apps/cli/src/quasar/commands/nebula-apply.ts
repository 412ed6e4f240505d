import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { meantByApply } from "../nebula/apply-meant.ts";
import type { NebulaApplyOptions } from "../nebula/apply-options.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { workOnNebula } from "../nebula/work-on-nebula.ts";

/** `quasar nebula apply`: works on the phases of a nebula, and lands them on a branch of their own. */
export async function nebulaApplyCommand(
  named: string,
  options: NebulaApplyOptions,
): Promise<ExitCode> {
  if (options.acceptSettings === true) refuseAgents("apply --accept-settings");
  if (options.trust === true) refuseAgents("apply --trust");
  if (options.push === true) refuseAgents("apply --push");
  if (options.fleet !== undefined || options.depot !== undefined) {
    return (await import("../fleet/submit.ts")).submitToFleet(named, options);
  }
  if (options.resume === true && options.fresh === true) {
    throw new CliError(
      "ERR_USAGE",
      "--resume or --fresh, not both: one continues, the other begins again",
    );
  }
  return workOnNebula(named, await meantByApply(named, options), options);
}
