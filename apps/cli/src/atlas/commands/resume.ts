import { nextWithoutTree } from "../lost-tree.ts";
import { naming } from "../next.ts";
import { type HookFile, isTerminal } from "@quasar/hookfile";
import { cleanLine } from "@quasar/runs/text";
import { type FoundTask, readTask, TasksError } from "@quasar/tasks";
import { configureTask, settleTask } from "@quasar/tasks/operations";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";
import { ATLAS, type AtlasSettings } from "../config/settings.ts";
import { drive, workersOf } from "../drive.ts";
import { findMeant } from "../find.ts";
import { type Installation, openInstallation } from "../installation.ts";

/**
 * `atlas resume`: recovers a task where it was interrupted, and takes it through the remaining steps. Where a
 * person is needed it says for what; where somebody works on it already it changes nothing.
 */
export async function resumeCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, taskId, hook } = await findResumable(installation, id);
  if (hook !== undefined && isTerminal(hook.state)) {
    await settleTask(dir, installation);
    const message = `task ${taskId} is ${hook.state}: there is nothing to resume`;
    throw new CliError("ERR_NOTHING_TO_RESUME", message, {
      next: [`atlas status${naming(id)}`, `atlas start --from-task ${taskId} "…"`],
    });
  }
  if (hook !== undefined) refuseWithoutTree(hook, id);
  const said = ATLAS.flagLayer(given.flags).values;
  const { maxBudgetUsd } = said;
  if (maxBudgetUsd !== undefined) {
    await configureTask(dir, (config) => ({ ...config, maxBudgetUsd }));
  }
  const settings = workersOf(readTask(dir).config, said, installation.home);
  await keep(dir, said, settings);
  return drive({
    installation,
    taskDir: dir,
    settings,
    json: given.json === true,
    id,
    typed: given.typed,
    asksAtOnce: isAskedAtOnce(given.now, said),
  });
}

/** What is allowed, and how long limits are waited for, holds until something else is said. */
async function keep(
  dir: string,
  said: Partial<AtlasSettings>,
  { allowedTools, waitLimit }: AtlasSettings,
): Promise<void> {
  const kept = {
    ...(said.allowedTools !== undefined && { allowedTools }),
    ...(said.waitLimit !== undefined && { waitLimit }),
  };
  if (Object.keys(kept).length === 0) return;
  await configureTask(dir, (config) => ({
    ...config,
    settings: { ...config.settings, ...ATLAS.toToml(kept) },
  }));
}

/** Another agent has limits of its own. */
function isAskedAtOnce(
  now: true | undefined,
  { coder, reviewer }: Partial<AtlasSettings>,
): true | undefined {
  return now ?? (coder === undefined && reviewer === undefined ? undefined : true);
}

/** What waits for a person says so all the same. */
function refuseWithoutTree(hook: HookFile, id: string | undefined): void {
  const next = nextWithoutTree(hook, naming(id));
  if (next === undefined || hook.state === "awaiting_human") return;
  const message = `the task's work tree ${cleanLine(hook.worktreePath)} is gone`;
  throw new CliError("ERR_NOT_FOUND", message, { next });
}

/** No task at all, where none was named, is nothing to resume. */
async function findResumable(
  installation: Installation,
  id: string | undefined,
): Promise<FoundTask> {
  try {
    return await findMeant(installation, id);
  } catch (cause) {
    const isNone = cause instanceof TasksError && cause.code === "ERR_NOT_FOUND";
    if (!isNone || id !== undefined) throw cause;
    throw new CliError("ERR_NOTHING_TO_RESUME", cause.message, {
      cause,
      next: ["atlas list", 'atlas start "…"'],
    });
  }
}
