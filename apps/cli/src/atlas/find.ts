import { openRepository } from "@quasar/git";
import { isSetUp } from "@quasar/hookfile/internal";
import { shellWord } from "@quasar/runs/text";
import { findTask, type FoundTask, openTask, TasksError, type TaskView } from "@quasar/tasks";
import { CliError } from "../shared/errors.ts";
import type { Installation } from "./installation.ts";

/** The task that is meant, opened. `id` is what was typed; tasks that have ended are found too. */
export async function openMeant(
  installation: Installation,
  id: string | undefined,
): Promise<TaskView> {
  const { dir } = await findMeant(installation, id);
  return openTask(dir, installation);
}

/** The task that is meant. */
export function findMeant({ home }: Installation, id: string | undefined): Promise<FoundTask> {
  return findTask({ home, cwd: process.cwd(), id, ended: true });
}

/**
 * The active task that works in the work tree of the current folder, or is to get one beside it.
 *
 * @throws {CliError} `ERR_NO_TASK`
 */
export async function openHere(installation: Installation): Promise<TaskView> {
  const cwd = process.cwd();
  const { root } = await openRepository(cwd);
  const { dir, hook } = await findTask({ home: installation.home, cwd }).catch(inWords);
  if (hook !== undefined && isSetUp(hook) && hook.worktreePath !== root) {
    throw new CliError("ERR_NO_TASK", NONE, {
      next: [`cd ${shellWord(hook.worktreePath)}   # a task of this repository works there`],
    });
  }
  return openTask(dir, installation);
}

const NONE = "no active task works in this work tree";

/** None here is no mistake of who asks: it is the answer. Several are all elsewhere. */
function inWords(error: unknown): never {
  const isNone = error instanceof TasksError && NOT_HERE.has(error.code);
  throw isNone ? new CliError("ERR_NO_TASK", NONE, { cause: error, next: ["atlas list"] }) : error;
}

const NOT_HERE: ReadonlySet<string> = new Set(["ERR_NOT_FOUND", "ERR_AMBIGUOUS"]);
