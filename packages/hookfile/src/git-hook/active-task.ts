import { HookFileError } from "../errors.ts";
import { createHookFileStore } from "../store/store.ts";
import { isTerminal } from "../transitions/transitions.ts";

/**
 * Whether a folder has a task that has not ended, by its hook file. One that is there and cannot be
 * believed, or is of another version, counts as active: it is unknown whether it has ended.
 */
export function isActiveTask(dir: string): boolean {
  try {
    const hook = createHookFileStore({ dir }).read();
    return hook !== undefined && !isTerminal(hook.state);
  } catch (error) {
    return error instanceof HookFileError; // what cannot be read is no task that continues
  }
}
