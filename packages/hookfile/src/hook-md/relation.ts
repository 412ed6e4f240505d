import type { HookFile } from "../store/hook-file.ts";
import { hookDigest, readHookMdMark } from "./mark.ts";
import { lines } from "./nodes.ts";
import { serialise } from "./serialise.ts";
import { taskField } from "./state.ts";

/**
 * - `current`: rendered from this hook file as it is now;
 * - `stale`: from an earlier revision of it;
 * - `foreign`: from another task's, or from a state that this one has not been in;
 * - `unmarked`: not said; torn, or not by us.
 */
export type HookMdRelation = "current" | "stale" | "foreign" | "unmarked";

/**
 * What a HOOK.md is to a hook file. Only a `current` one may be followed, and even that is not
 * proof against who edits it on purpose: `renderHookMd` gives what it should say.
 */
export function relationOfHookMd(text: string, hook: HookFile): HookMdRelation {
  const mark = readHookMdMark(text);
  if (mark === undefined) return "unmarked";
  if (mark.revision === hook.revision && mark.sha256 === hookDigest(hook)) return "current";
  return mark.revision < hook.revision && isOfTask(text, hook) ? "stale" : "foreign";
}

/** The first line that names a task is ours: text of others never begins a line before it. */
function isOfTask(text: string, hook: HookFile): boolean {
  const line = serialise([lines([taskField(hook)])]);
  const [first] = /^\*\*Task:\*\* .*\n/m.exec(text) ?? [];
  return first === line;
}
