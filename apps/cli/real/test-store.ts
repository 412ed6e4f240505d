import type { CheckpointOptions } from "@quasar/loop";

type Store = CheckpointOptions["store"];

/** A store of one checkpoint. */
export function createTestStore(): Store {
  let kept: Parameters<Store["save"]>[0] | undefined;
  return {
    save: async (checkpoint) => {
      kept = structuredClone(checkpoint);
    },
    load: async () => kept && { checkpoint: kept, source: "current", seal: "none", problems: [] },
    loadAll: async () => ({ checkpoints: new Map(), problems: [] }),
    remove: async () => {
      kept = undefined;
    },
  };
}
