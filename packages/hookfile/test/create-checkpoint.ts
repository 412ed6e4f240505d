import { checkpointOf, type NewCheckpoint } from "../src/checkpoints/checkpoints.ts";
import type { Change } from "../src/store/entries.ts";
import type { HookFile } from "../src/store/hook-file.ts";
import type { HookInput } from "../src/transitions/transition-events.ts";
import { transition } from "../src/transitions/transitions.ts";

/** What `saveCheckpoint` writes of one checkpoint, without a store. */
export function createCheckpoint(
  hook: HookFile,
  created: NewCheckpoint,
  then: readonly HookInput[] = [],
): Change {
  const checkpoint = checkpointOf(hook, created);
  return transition(hook, [{ type: "checkpoint", checkpoint }, ...then], { now: created.now });
}
