import type { HookFile } from "../store/hook-file.ts";
import { visibleLine } from "./text.ts";
import { stepPositionOf } from "../transitions/step-position.ts";
import { isTerminal } from "../transitions/transitions.ts";

/**
 * One line to put before an agent's prompt: which task is in progress, and which file to read. Empty
 * once the task has ended, whichever way. Where no step is current it names the next one; where none
 * is left, `none` with number 0.
 *
 * @param home - The folder of all workspaces as the agent may read it. Default `~/.atlas`.
 * @see SPEC.md, "Synopsis"
 */
export function generateSynopsis(hook: HookFile, home = "~/.atlas"): string {
  if (isTerminal(hook.state)) return "";
  const { name, number, total } = stepPositionOf(hook) ?? {
    name: "none",
    number: 0,
    total: hook.steps.length,
  };
  const task = plain(hook.taskId);
  return (
    `[ATLAS RECOVERY] Task '${task}' in progress. ` +
    `State: ${hook.state}, Step: ${plain(name)} (${number}/${total}). ` +
    `READ ${visibleLine(home, 1000)}/workspaces/${plain(hook.workspaceId)}/tasks/${task}/HOOK.md BEFORE PROCEEDING.`
  );
}

/**
 * An id as a word: bytes other than letters, digits, `.`, `_` and `-`, and a dot in front, as `%`
 * and two digits.
 */
function plain(id: string): string {
  const word = encodeURIComponent(id.slice(0, 200).toWellFormed());
  return word.replace(/[!'()*~]|^\./g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
