import type { RunSnapshot } from "@quasar/runs";

/** What is told of a snapshot to a program: its facts, and where it is kept. */
export interface SnapshotFacts extends Omit<RunSnapshot, "from" | "head"> {
  readonly headSha: string;
  /** In git, where the run has not ended. */
  readonly ref?: string | undefined;
  /** Else the file that holds it. */
  readonly pack?: string | undefined;
}

export function snapshotFacts({ from, head: headSha, ...snapshot }: RunSnapshot): SnapshotFacts {
  return {
    ...snapshot,
    headSha,
    ...(typeof from === "string" ? { ref: from } : { pack: from.file }),
  };
}
