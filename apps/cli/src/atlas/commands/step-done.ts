import { completeStep } from "@quasar/tasks/operations";
import type { ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { tellDecided } from "../decided.ts";
import { findMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";

/** `atlas step done`: ends the step that an agent has worked on by HOOK.md alone. */
export async function stepDoneCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir } = await findMeant(installation, id);
  const hook = await completeStep(dir, given.summary ?? "", installation);
  return tellDecided({ type: "step_done", said: "the step is done", hook, id }, given);
}
