import { skipTask } from "@quasar/tasks/operations";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { tellDecided } from "../decided.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";

/** `atlas skip`: leaves the step out that stopped. */
export async function skipCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const { reason = "" } = given;
  if (reason.trim() === "") {
    throw new CliError("ERR_USAGE", "why is it skipped? The reason is recorded", {
      next: ['atlas skip --reason "why"', "atlas retry"],
    });
  }
  const installation = openInstallation();
  const { dir } = await openMeant(installation, id);
  const hook = await skipTask(dir, reason, installation);
  return tellDecided({ type: "skip", said: "skipped", hook, id }, given);
}
