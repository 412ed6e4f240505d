import type { CheckpointFinding } from "@quasar/checkpoint";

/** What a reviewer found; the same data that a checkpoint stores. */
export type Finding = CheckpointFinding;
