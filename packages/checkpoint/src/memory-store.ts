import type { Checkpoint } from "./checkpoint.ts";
import { readCheckpoint } from "./decode.ts";
import { checkMarks, writeCheckpoint } from "./encode.ts";
import { checkpointFileName } from "./file-name.ts";
import { checkShape } from "./shape.ts";
import type { CheckpointStore, LoadedCheckpoint } from "./store.ts";

/**
 * A store that forgets with its process, for tests and for runs that nothing need outlive. It
 * keeps the text of each checkpoint, so that it refuses and changes what the file store does.
 */
export function createMemoryCheckpointStore(): CheckpointStore {
  const texts = new Map<string, string>();
  const revisions = new Map<string, number>();

  const read = (text: string): LoadedCheckpoint => {
    const { checkpoint } = readCheckpoint(text);
    return { checkpoint, source: "current", seal: "valid", problems: [] };
  };

  return {
    async save(checkpoint: Checkpoint) {
      checkShape(checkpoint);
      const { phaseId } = checkpoint;
      checkpointFileName(phaseId);
      const revision = Math.max(checkpoint.revision, revisions.get(phaseId) ?? 0) + 1;
      const text = writeCheckpoint({ ...checkpoint, revision }, false);
      checkMarks(text);
      texts.set(phaseId, text.join(""));
      revisions.set(phaseId, revision);
    },
    async load(phaseId = "") {
      checkpointFileName(phaseId);
      const text = texts.get(phaseId);
      return text === undefined ? undefined : read(text);
    },
    async loadAll() {
      const loaded = [...texts].map(([phaseId, text]) => [phaseId, read(text)] as const);
      return { checkpoints: new Map(loaded), problems: [] };
    },
    async remove(phaseId = "") {
      checkpointFileName(phaseId);
      texts.delete(phaseId);
      revisions.delete(phaseId);
    },
  };
}
