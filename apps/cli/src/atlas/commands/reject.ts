import { rejectTask } from "@quasar/tasks/operations";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { tellDecided } from "../decided.ts";
import { findMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";

/** `atlas reject`: sends the work back with what is wrong, or refuses it for good. */
export async function rejectCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const { feedback = "", final = false } = given;
  if (feedback.trim() === "" && !final) {
    throw new CliError("ERR_USAGE", "what is wrong with it? The agent needs to know", {
      next: [
        'atlas reject --feedback "what is wrong"',
        "atlas reject --final   # no other attempt",
      ],
    });
  }
  const installation = openInstallation();
  const { dir } = await findMeant(installation, id);
  const hook = await rejectTask(dir, { feedback, isFinal: final }, installation);
  const said = final ? "rejected for good: the task has failed" : "rejected: sent back";
  return tellDecided({ type: "reject", said, hook, id }, given);
}
