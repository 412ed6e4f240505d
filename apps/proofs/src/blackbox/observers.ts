import { createHash } from "node:crypto";
import type { Checkpoint } from "@quasar/checkpoint";
import { createCheckpointFiles } from "@quasar/checkpoint/testing";
import type { FileSystem } from "@quasar/durable";
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
  const { revision, ...rest } = checkpoint;
  const digest = createHash("sha256").update(JSON.stringify(rest)).digest("hex").slice(0, 8);
  return `${cycle} ${phase} ${turn?.status ?? "-"} ${digest}`;
}
