import { existsSync } from "node:fs";
import { type HookFile, isTerminal, nextStep } from "@quasar/hookfile";
import { isSetUp } from "@quasar/hookfile/internal";
import { shellWord } from "@quasar/runs/text";
import { choicesOf } from "./choices.ts";

/**
 * What a person can type where a task's work tree was deleted, which every other command leads back to;
 * `undefined` where it is there, or is no matter.
 *
 * @param named - What names the task behind a command.
 */
export function nextWithoutTree(hook: HookFile, named: string): readonly string[] | undefined {
  const { worktreePath, repoPath, branch, taskId } = hook;
  if (isTerminal(hook.state) || !isSetUp(hook) || existsSync(worktreePath)) return undefined;
  const resume = choicesOf(hook)[0]?.command ?? "atlas resume";
  // It is registered still, which a plain `git worktree add` refuses.
  const add = `git -C ${shellWord(repoPath)} worktree add --force ${shellWord(worktreePath)} ${shellWord(branch)}`;
  const isLinked = worktreePath !== repoPath && branch !== "" && existsSync(repoPath);
  const back = `${add} && ${resume}${named}   # only with what is committed: no turn of an agent is done again`;
  const anew = `atlas abandon${named} && atlas start --from-task ${taskId} "…"   # a new task on its branch`;
  if (!isLinked) return [anew];
  return isAgents(hook) ? [anew, back] : [back, anew];
}

/** Whether agents' work that was not committed may have been lost, which the task would continue without. */
function isAgents(hook: HookFile): boolean {
  const name = hook.currentStep?.stepName ?? nextStep(hook)?.name;
  const type = hook.steps.find((step) => step.name === name)?.type;
  return type === "ai" || type === "loop";
}
