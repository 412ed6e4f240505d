import type { CheckpointStore } from "@quasar/checkpoint";
import { checkpointFromState } from "./convert.ts";
import type { Hook, LoopEvent } from "./event.ts";

export interface CheckpointHookOptions {
  readonly store: CheckpointStore;
  /** `""` for a standalone run. @default "" */
  readonly phaseId?: string | undefined;
  /** @default "" */
  readonly nebulaName?: string | undefined;
  /** HEAD of the work tree, `""` outside a repository. @default as the loop last saw it */
  readonly gitSha?: (() => Promise<string>) | undefined;
  /** Told why a checkpoint could not be written. @default the loop reports it as a `warning` */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/**
 * A hook that stores a checkpoint when a cycle is whole, and when a task ends well or badly. It
 * writes nothing at other events: the state is not whole then.
 *
 * A loop with `checkpoint.store` has one already, before all other hooks.
 */
export function createCheckpointHook(options: CheckpointHookOptions): Hook {
  const { store, phaseId, nebulaName, gitSha, onError, now } = options;
  return {
    async onEvent(event) {
      if (!isStored(event.type)) return;
      try {
        const head = gitSha === undefined ? event.headSha : await gitSha();
        const metadata = { phaseId, nebulaName, gitSha: head, now };
        await store.save(checkpointFromState(event.state(), metadata));
      } catch (error) {
        if (onError === undefined) throw error;
        onError(error);
      }
    },
  };
}

/** Whether a checkpoint is written at such an event. */
export function isStored(type: LoopEvent["type"]): boolean {
  return STORED.has(type);
}

const STORED: ReadonlySet<LoopEvent["type"]> = new Set([
  "review_complete",
  "task_success",
  "task_failed",
]);
