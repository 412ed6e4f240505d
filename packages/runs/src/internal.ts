/** For the packages of this workspace, which are released together: may change in any release. */
export { type CheckpointQuestion, checkpointPath } from "@quasar/checkpoint";
export {
  COMMIT_ADVICE,
  type People,
  fullDiskOf,
  QUESTION_KINDS,
  upToCent,
  type RelayedAnswer,
  blockingQuestions,
  firstCycleBudget,
  mostOfTurn,
} from "@quasar/loop/internal";
export { CHECK_NAMES } from "./check/checks.ts";
export type { CompatibleIn } from "./compatibility.ts";
export { conventionsOf } from "./conventions.ts";
export { continuedBy } from "./driving/hold.ts";
export { describe, type Holder, lockHolder } from "./driving/lock.ts";
export type { Driver, DriveOptions } from "./driving/session.ts";
export { codeOf, messageOf } from "./errors.ts";
export type { Notice, RunBegun, RunLoopEvent } from "./events.ts";
export { fileMark } from "./facts/file-mark.ts";
export { journalReader, type JournalRead } from "./facts/journal-reader.ts";
export { SHARE_OF, sumShares } from "./facts/shares.ts";
export { followItems, type FollowOptions } from "./follow-items.ts";
export { readFacts } from "./journal/journal.ts";
export { limitSteps, limitOf, patienceOf, withoutPause } from "./limits/patience.ts";
export { type RunElsewhere, runsElsewhere } from "./look/elsewhere.ts";
export { findRun, type FoundRun, locateRun } from "./look/find.ts";
export { listRuns, runIds, summaries, summarize } from "./look/list.ts";
export { removedRun } from "./look/removed.ts";
export {
  isUnfinished,
  latestFindings,
  type ListedRun,
  logCommand,
  resumeStep,
} from "./look/summary.ts";
export { type SupervisorFailure, supervisorFailures } from "./look/supervisor-failures.ts";
export { printedPath, type RunFolders, storedTurn } from "./look/turn.ts";
export { allTurns, endedTurns } from "./look/turns.ts";
export { watchRunTurn } from "./look/watch-turn.ts";
export { FOLDER, isRealFolder } from "./real-folder.ts";
export { findCheckpoint, type FoundCheckpoint } from "./resume/find.ts";
export { type Item, makePlan } from "./resume/plan.ts";
export { type ResumedWith, resumeRun } from "./resume/resume.ts";
export { newRunId, parseRunId } from "./run-id.ts";
export { runSnapshots, snapshotPaths } from "./snapshots/list.ts";
export { type KeptSettings, loadKeptSettings, storedUnreportedCosts } from "./store.ts";
export {
  clock,
  dayAndTime,
  exactUsd,
  knownUsd,
  pricesWords,
  processes,
  type Spending,
} from "./text/format.ts";
export { suggestion } from "./text/suggestion.ts";
export { removeCompatible } from "./tree/compatible.ts";
export { freeGit } from "./tree/git-locks.ts";
export { runNotification } from "./tree/notification.ts";
export { leftoversBeside } from "./tree/processes.ts";
export {
  type AfterCoder,
  afterCoder,
  hasAgentAtWork,
  lastCommitOf,
  lastReportOf,
  type RunSpending,
  settingsOfRun,
  spendingIn,
} from "./tree/read-run.ts";
export { openSharedControls, type SharedControls } from "./tree/shared-controls.ts";
export { recoverAndLoad } from "./tree/stores.ts";
export type { UserFolders } from "./user/places.ts";
export { openUser, type User } from "./user/user.ts";
export { listed, ownBranch } from "./work-tree.ts";
export { openWorkspace, repositoryOf } from "./workspace.ts";
