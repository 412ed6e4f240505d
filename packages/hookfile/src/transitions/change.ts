import { isDeepStrictEqual } from "node:util";
import { type Change, withEntries } from "../store/entries.ts";
import { HookFileError, invalid } from "../errors.ts";
import type { HookFile, HookState } from "../store/hook-file.ts";
import { TRANSITIONS } from "./transitions.ts";

/**
 * Throws unless a change is one of this hook: of its revision and its task, by transitions that there
 * are, with lists that are the old ones and what is new.
 *
 * @throws {HookFileError} `ERR_STALE`; `ERR_INVALID_HOOK_FILE`
 */
export function checkChange(hook: HookFile, change: Change): void {
  const { hook: next, events } = change;
  if (next.revision !== hook.revision) {
    const message = `the change is of revision ${next.revision}, the task has ${hook.revision}`;
    throw new HookFileError("ERR_STALE", message);
  }
  for (const key of ["version", "taskId", "workspaceId", "createdAt"] as const) {
    if (next[key] !== hook[key]) throw invalid(`${key} cannot be changed`);
  }

  let state: HookState = hook.state;
  for (const { fromState, toState, trigger } of events) {
    const isInTable = TRANSITIONS.some(
      (row) =>
        row.from === fromState && row.trigger === trigger && row.to.some((to) => to === toState),
    );
    if (fromState !== state || !isInTable) {
      throw invalid(`${state} --${trigger}--> ${toState} is not a transition`);
    }
    state = toState;
  }
  if (next.state !== state) throw invalid(`no event leads to state ${next.state}`);

  const expected = withEntries(hook, change);
  for (const key of ["counts", "history", "receipts", "checkpoints"] as const) {
    if (isDeepStrictEqual(next[key], expected[key])) continue;
    throw invalid(`${key} is not what was stored with what is new: nothing is ever taken away`);
  }
}
