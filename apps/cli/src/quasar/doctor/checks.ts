import type { UserFolders } from "../../shared/places.ts";
import type { Workspace } from "../../shared/workspace.ts";
import { lookAtAgents } from "./agents.ts";
import { lookAtCommitted, lookAtGit, lookAtGitLocks, lookAtRefs } from "./git.ts";
import { lookAtIgnore, lookAtLock, lookAtModes } from "./folders.ts";
import { lookAtJournals, lookAtRuns, lookAtTemporary } from "./runs.ts";

/** Where a doctor looks. */
export interface Ground {
  readonly workspace: Workspace;
  readonly folders: UserFolders;
}

/** Something that is not as it should be. */
export interface Problem {
  /** For a person; hostile text in it is not cleaned yet. */
  readonly message: string;
  /** What can be done about it without losing anything; `undefined` where that takes a person. */
  readonly fix?: { readonly does: string; readonly run: () => void | Promise<void> } | undefined;
  /** What a person can do. */
  readonly next: readonly string[];
}

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
