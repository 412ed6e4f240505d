import { discoverCommands, type TaskView, type ValidationConfig } from "@quasar/tasks";
import { configureTask, retryTask } from "@quasar/tasks/operations";
import type { ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { loadConfig } from "../config/load.ts";
import { requireTrustInScripts } from "../scripts-trust.ts";
import { ATLAS } from "../config/settings.ts";
import { validationConfig, validationLimits } from "../config/task-config.ts";
import { tellDecided } from "../decided.ts";
import { openMeant } from "../find.ts";
import { type Installation, openInstallation } from "../installation.ts";

/** `atlas retry`: has the step that stopped tried again by the next resume. */
export async function retryCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const view = await openMeant(installation, id);
  const validation = validationOf(view, given, installation);
  const acceptControls = given.acceptSettings === true ? installation : undefined;
  const hook = await retryTask(view.dir, installation, { acceptControls });
  if (validation !== undefined) {
    await configureTask(view.dir, (config) => ({ ...config, validation }));
  }
  return tellDecided({ type: "retry", said: "will be retried", hook, id }, given);
}

/**
 * The commands of a task are fixed when it starts; here a person changes them, by flags or because
 * there were none. What is not said stays. `undefined`: all of it.
 */
function validationOf(
  { hook, task }: TaskView,
  given: Given,
  { env, home }: Installation,
): ValidationConfig | undefined {
  const said = ATLAS.flagLayer(given.flags).values;
  const stored = task.config.validation;
  const limits = validationLimits(stored, said);
  if (said.validationCommands !== undefined) {
    return { ...limits, commands: said.validationCommands, source: "config" };
  }
  const isWaiting = stored.source === "none" && hook.awaiting?.kind === "validation";
  if (!isWaiting) return Object.keys(said).length === 0 ? undefined : { ...stored, ...limits };
  // The task's work tree has no settings: they are where the task was started from.
  const { repoPath } = hook;
  const options = { flags: {}, env, cwd: repoPath, root: repoPath, home };
  const { settings } = loadConfig({ ...options, trust: given.trustConfig === true });
  const { commands } = validationConfig(settings);
  const found = discoverCommands(hook.worktreePath, {
    config: { ...limits, ...(commands !== undefined && { commands }) },
  });
  requireTrustInScripts(found, hook.worktreePath, home, given.trustConfig === true);
  return found;
}
