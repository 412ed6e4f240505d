import { join } from "node:path";
import { createFileCheckpointStore } from "@quasar/checkpoint";

/** What runs say that their turns have cost, in US dollars. */
export interface Books {
  readonly totalUsd: number;
  /** How much of it is reserved only. */
  readonly unknownUsd: number;
}

/** @param runs - Folders of runs, each with its checkpoint and its archive. */
export async function booksOf(runs: readonly string[]): Promise<Books> {
  let [totalUsd, unknownUsd] = [0, 0];
  for (const run of runs) {
    // A run that is in its archive too has ended.
    const ended = await createFileCheckpointStore({ dir: join(run, "archive") }).load();
    const loaded = ended ?? (await createFileCheckpointStore({ dir: run }).load());
    totalUsd += loaded?.checkpoint.totalCostUsd ?? 0;
    unknownUsd += loaded?.checkpoint.unknownCostUsd ?? 0;
  }
  return { totalUsd, unknownUsd };
}
