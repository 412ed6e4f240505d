import type { Ground, Problem } from "./problem.ts";
import { lookAtAgents } from "./agents.ts";
import { lookAtCommitted, lookAtGit, lookAtGitLocks, lookAtRefs } from "./git.ts";
import { lookAtIgnore, lookAtLock, lookAtModes } from "./folders.ts";
import { lookAtJournals, lookAtRuns, lookAtTemporary } from "./runs.ts";

export interface Check {
  readonly name: string;
  /** Changes nothing. */
  readonly look: (ground: Ground) => Promise<readonly Problem[]> | readonly Problem[];
}

/** Everything that is looked at, in the order of the report. */
export const CHECKS: readonly Check[] = [
  { name: "git", look: lookAtGit },
  { name: "git locks", look: lookAtGitLocks },
  { name: "lock", look: lookAtLock },
  { name: "agents", look: lookAtAgents },
  { name: "runs", look: lookAtRuns },
  { name: "journals", look: lookAtJournals },
  { name: "left over", look: lookAtTemporary },
  { name: "refs", look: lookAtRefs },
  { name: "committed", look: lookAtCommitted },
  { name: "ignored", look: lookAtIgnore },
  { name: "modes", look: lookAtModes },
];
