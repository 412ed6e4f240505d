import { CliError } from "../../shared/errors.ts";
import { isWithinRun } from "../../shared/within-run.ts";

/** Refuses what a person decides to an agent that a run has started. @throws {CliError} `ERR_NOT_ACCEPTED` */
export function refuseAgents(command: string): void {
  if (!isWithinRun()) return;
  const message = `quasar nebula ${command} is for a person, and a run has started this`;
  throw new CliError("ERR_NOT_ACCEPTED", message, {
    next: [`quasar nebula ${command} in a terminal of your own`],
  });
}
