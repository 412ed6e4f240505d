import type { Checkpoint } from "@quasar/checkpoint";

/**
 * What a loop knows between two steps. Its stored form is a {@link Checkpoint}; what is not in that
 * is `lastCycleSha` alone, which is sealed into `cycleCommits` before a cycle's end is stored.
 */
export interface CycleState
  extends Omit<Checkpoint, "version" | "phaseId" | "nebulaName" | "createdAt" | "gitSha"> {
  /** The commit of the present cycle, before the cycle is whole; `""` when there is none. */
  readonly lastCycleSha: string;
}
