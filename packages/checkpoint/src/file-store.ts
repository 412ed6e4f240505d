import { createCheckpointFiles } from "./checkpoint-files.ts";
import type { FileCheckpointStore, FileCheckpointStoreOptions } from "./store.ts";

/**
 * Keeps each phase's checkpoint in a TOML file of a folder, and the one before it beside.
 *
 * `save` and `remove` have done their work when they return, before their promise resolves. Savers of
 * one phase should hold a lock: without one no file is ever torn, but the last one wins.
 *
 * @see SPEC.md, "Store"
 */
export function createFileCheckpointStore(
  options: FileCheckpointStoreOptions,
): FileCheckpointStore {
  const files = createCheckpointFiles(options);
  return {
    save: async (checkpoint) => files.save(checkpoint),
    load: async (phaseId = "") => files.load(phaseId),
    loadAll: async () => files.loadAll(),
    remove: async (phaseId = "") => files.remove(phaseId),
    list: async () => files.list(),
    loadSummary: async (phaseId = "") => files.loadSummary(phaseId),
    loadBooks: async (phaseId = "") => files.loadBooks(phaseId),
    recover: async () => files.recover(),
  };
}
