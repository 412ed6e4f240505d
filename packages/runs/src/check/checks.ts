import { lookAtAgents } from "./agents.ts";
import { lookAtIgnore, lookAtLock, lookAtModes } from "./folders.ts";
import { lookAtCommitted, lookAtGit, lookAtGitLocks, lookAtRefs } from "./git.ts";
import type { Look } from "./problem.ts";
import { lookAtJournals, lookAtRuns, lookAtTemporary } from "./runs.ts";

/** Everything that is checked, by its name, in the order of the report. */
export const CHECKS = {
  git: lookAtGit,
  "git locks": lookAtGitLocks,
  lock: lookAtLock,
  agents: lookAtAgents,
  runs: lookAtRuns,
  journals: lookAtJournals,
  "left over": lookAtTemporary,
  refs: lookAtRefs,
  committed: lookAtCommitted,
  ignored: lookAtIgnore,
  modes: lookAtModes,
} as const satisfies Readonly<Record<string, Look>>;

export type CheckName = keyof typeof CHECKS;

export const CHECK_NAMES: readonly CheckName[] = Object.keys(CHECKS) as CheckName[];
