import type { Change } from "../store/entries.ts";
import type { HookFile, RecoveryContext } from "../store/hook-file.ts";
import { isTerminal, transition } from "./transitions.ts";

/** Puts a person in charge of a task whose history cannot be relied on; one that is over stays so. */
export function awaitPerson(hook: HookFile, reason: string, now: Date): Change {
  if (isTerminal(hook.state)) return { hook, events: [] };
  const lastCheckpointId = hook.checkpoints.at(-1)?.checkpointId;
  const recovery: RecoveryContext = {
    crashType: "unknown",
    lastKnownState: hook.state,
    wasValidating: hook.state === "step_validating",
    ...hook.recovery, // what was interrupted before and has not been taken up again
    detectedAt: now.toISOString(),
    recommendedAction: "manual",
    reason,
    ...(lastCheckpointId !== undefined && { lastCheckpointId }),
  };
  return transition(
    hook,
    [
      { type: "crash_detected", recovery },
      { type: "manual_required", reason },
    ],
    { now },
  );
}
