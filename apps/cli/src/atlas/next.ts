import { existsSync } from "node:fs";
import { type HookFile, isTerminal } from "@quasar/hookfile";
import { shellWord } from "@quasar/runs/text";
import { findTask, TasksError, type TaskView } from "@quasar/tasks";
import { withRemark } from "../shared/remark.ts";
import { choicesOf } from "./choices.ts";
import { nextWithoutTree } from "./lost-tree.ts";
import { stepsAtLimit } from "./next-steps.ts";

/**
 * What a person can type next.
 *
 * @param id - The task as it was named, where it was: the next command has to name it too.
 * @param owner - Who drives the task, where somebody does: it takes no command but to stop.
 * @param stop - How its last drive said that it stopped, where nobody has worked on it since.
 */
export function nextOf(
  hook: HookFile,
  id: string | undefined,
  owner?: HookFile["owner"],
  stop?: TaskView["stop"],
): readonly string[] {
  const named = naming(id);
  if (isTerminal(hook.state)) return afterEnd(hook);
  if (owner !== undefined) {
    return [`kill -INT ${owner.pid}   # stops it, with all saved; then atlas resume${named}`];
  }
  const withoutTree = nextWithoutTree(hook, named);
  if (withoutTree !== undefined) return withoutTree;
  if (stop?.why === "budget") return [resumeWith(stop, named), `atlas abandon${named}`];
  if (stop?.why === "limit") {
    return [...stepsAtLimit(stop.retryAt, named), `atlas abandon${named}`];
  }
  const choices = choicesOf(hook).filter(({ decision }) => decision.kind !== "abandon");
  const lines = choices.map(({ command, meaning }) => withRemark(`${command}${named}`, meaning));
  const { kind, reason = "" } = hook.awaiting ?? {};
  return lines.toSpliced(
    1,
    0,
    ...(kind === "validation" ? [withRemark(`${BY_ANOTHER}${named}`, "by another command")] : []),
    ...(reason.includes(ACCEPT)
      ? [withRemark(`${ACCEPT}${named}`, "accepts what has changed")]
      : []),
  );
}

const BY_ANOTHER = 'atlas retry --validate "npm test"';
/** What the reason says, too, where git's settings or hooks have changed. */
const ACCEPT = "atlas retry --accept-settings";

/** The command that continues a task whose budget was too small. */
export function resumeWith(
  { neededBudgetUsd }: { readonly neededBudgetUsd?: number | undefined },
  named: string,
): string {
  const more = neededBudgetUsd === undefined ? "" : ` --max-budget ${neededBudgetUsd}`;
  return `atlas resume${more}${named}`;
}

/** What names a task behind a command: the way it was named, where it was. */
export function naming(id: string | undefined): string {
  return id === undefined ? "" : ` ${shellWord(id)}`;
}

/** From any folder. */
function afterEnd({ worktreePath, repoPath, branch, workspaceId }: HookFile): readonly string[] {
  const isThere = existsSync(worktreePath);
  const log = `git -C ${shellWord(isThere ? worktreePath : repoPath)} log ${shellWord(branch)}`;
  const close = `atlas workspace close ${shellWord(workspaceId)}`;
  const what = "   # removes the work tree, if it was made for the task; the branch stays";
  // The user's own is never removed.
  return [log, ...(isThere && worktreePath !== repoPath ? [close + what] : [])];
}

/** How a task has to be named in the current folder; `undefined` where it need not be. */
export async function nameHere(home: string, hook: HookFile): Promise<string | undefined> {
  try {
    const { taskId } = await findTask({ home, cwd: process.cwd() });
    return taskId === hook.taskId ? undefined : hook.workspaceId;
  } catch (error) {
    if (error instanceof TasksError) return hook.workspaceId;
    throw error;
  }
}
