import { existsSync } from "node:fs";
import { type HookFile, isSetUp, isTerminal } from "@quasar/hookfile";
import { shellWord } from "@quasar/runs/text";
import { choicesOf } from "@quasar/tasks";

/**
 * What a person can type where a task's work tree was deleted, which every other command leads back to;
 * `undefined` where it is there, or is no matter.
 *
 * @param named - What names the task behind a command.
 */
export function nextWithoutTree(hook: HookFile, named: string): readonly string[] | undefined {
  const { worktreePath, repoPath, branch, taskId } = hook;
  if (isTerminal(hook.state) || !isSetUp(hook) || existsSync(worktreePath)) return undefined;
  const goOn = choicesOf(hook)[0]?.command ?? "atlas resume";
  // It is registered still, which a plain `git worktree add` refuses.
  const add = `git -C ${shellWord(repoPath)} worktree add --force ${shellWord(worktreePath)} ${shellWord(branch)}`;
  const lost = "   (with what is committed; all else in it is lost)";
  const isLinked = worktreePath !== repoPath && branch !== "" && existsSync(repoPath);
  return [
    ...(isLinked ? [`${add} && ${goOn}${named}${lost}`] : []),
    `atlas abandon${named} && atlas start --from-task ${taskId} "…"   (a new task on its branch)`,
  ];
}
