import { isTerminal } from "@quasar/hookfile";
import { cleanLine, firstLine } from "@quasar/runs/text";
import { abandonTask } from "@quasar/tasks/operations";
import { ask, canAsk, isYes } from "../../shared/ask.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { tellDecided } from "../decided.ts";
import { findMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";

/** `atlas abandon`: gives a task up. Its agents are ended; its branch, commits and files stay. */
export async function abandonCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, taskId, hook } = await findMeant(installation, id);
  const isOpen = hook === undefined || !isTerminal(hook.state);
  if (isOpen && given.yes !== true) await agree(taskId, hook?.title ?? "");
  const abandoned = await abandonTask(dir, given.reason, installation);
  return tellDecided({ type: "abandon", said: "abandoned", hook: abandoned, id }, given);
}

/** Where nobody can be asked, the command itself is the word: it deletes nothing. */
async function agree(taskId: string, title: string): Promise<void> {
  if (!canAsk()) return;
  if (isYes(await ask(`Give up ${cleanLine(taskId)}, ${firstLine(title)}? [y/N] `))) return;
  throw new CliError("ERR_PERSON", `task ${taskId} is not abandoned`, { next: ["atlas status"] });
}
