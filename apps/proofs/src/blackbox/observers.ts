import { createHash } from "node:crypto";
import type { Checkpoint } from "@quasar/checkpoint";
import { createCheckpointFiles } from "@quasar/checkpoint/testing";
import { type FileSystem, openJournal, readJournal, readWholeFile } from "@quasar/durable";
import type { Value } from "@quasar/durable/testing";

/** What a reader finds of one kind of file of a run, and what the next process does before it reads. */
export interface Observer {
  readonly observe: (fs: FileSystem) => Value;
  readonly recover: (fs: FileSystem, random: (size: number) => Uint8Array) => void;
}

/** The run's checkpoint, or where it is no more, the archived one: whole, in one word. */
export function checkpointOf(runId: string): Observer {
  const dir = `/quasar/runs/${runId}`;
  const current = (fs: FileSystem) => createCheckpointFiles({ dir, fs }).load("");
  return {
    observe: (fs) => {
      const found = current(fs) ?? createCheckpointFiles({ dir: `${dir}/archive`, fs }).load("");
      if (found === undefined) return undefined;
      if (found.seal !== "digest") throw new Error(`the seal is ${found.seal}`);
      return inOneWord(found.checkpoint);
    },
    recover: (fs, random) => {
      createCheckpointFiles({ dir, fs, random, now: () => new Date(0) }).recover();
    },
  };
}

function inOneWord(checkpoint: Checkpoint): string {
  const { cycle, phase, turn } = checkpoint;
  const digest = createHash("sha256").update(JSON.stringify(checkpoint)).digest("hex").slice(0, 8);
  return `${cycle} ${phase} ${turn?.status ?? "-"} ${digest}`;
}

/** The run's journal: how many records it has, and which is the last. */
export function journalOf(runId: string): Observer {
  const path = `/quasar/runs/${runId}/events.jsonl`;
  return {
    observe: (fs) => {
      const found = readJournal(path, { fs });
      if (found?.damage !== undefined) throw new Error(found.damage.message);
      const count = found?.records.length ?? 0;
      return count === 0 ? undefined : `${count} ${JSON.stringify(found?.records.at(-1))}`;
    },
    recover: (fs, random) => {
      openJournal(path, { fs, random, now: () => new Date(0) }).close();
    },
  };
}

/** The key that seals this user's checkpoints: without it they would count as somebody else's. */
export const sealKey: Observer = {
  observe: (fs) => {
    const bytes = readWholeFile("/.local/state/quasar/seal.key", { fs, maxBytes: 1024 });
    return bytes && createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  },
  recover: () => {},
};
