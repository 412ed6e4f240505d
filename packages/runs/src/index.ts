/** Runs of coding agents in a work tree that continue exactly after any crash. */
export { type Abandoned, type AbandonOptions, abandonRun } from "./abandon.ts";
export { type CheckedProblem, type CheckOptions, checkRuns } from "./check/check.ts";
export { CHECK_NAMES, type CheckName } from "./check/checks.ts";
export type { ProblemCode } from "./check/problem.ts";
export { forgetSeed } from "./compatibility.ts";
export { conventionsOf } from "./conventions.ts";
export { continuedBy, type Hold } from "./driving/hold.ts";
export { describe, forgetRun, type Holder, lockHolder, lockWorkspace } from "./driving/lock.ts";
export { findOutliving } from "./driving/orphans.ts";
export type { Driver, DriveOptions } from "./driving/session.ts";
export {
  codeOf,
  messageOf,
  RunsError,
  type RunsErrorCode,
  type RunsErrorOptions,
} from "./errors.ts";
export type * from "./events.ts";
export { type FollowOptions, followRun } from "./follow.ts";
export { forkRun, type Forked, type ForkRunOptions } from "./fork-run.ts";
export type { Fact } from "./journal/fact.ts";
export { JOURNAL_FILE, readFacts } from "./journal/journal.ts";
export { type Kept, keptRuns, type KeptRuns } from "./kept.ts";
export { limitAdvice } from "./limits/patience.ts";
export { type RunElsewhere, runsElsewhere } from "./look/elsewhere.ts";
export { findRun, type FoundRun, locateRun } from "./look/find.ts";
export {
  isSetAside,
  listRuns,
  type LookOptions,
  runIds,
  summaries,
  summarize,
} from "./look/list.ts";
export { removedRun } from "./look/removed.ts";
export {
  damagedNext,
  isUnfinished,
  latestFindings,
  type ListedRun,
  logCommand,
  type OpenTurn,
  resumeCommand,
  type RunStatus,
  type RunSummary,
} from "./look/summary.ts";
export { type SupervisorFailure, supervisorFailures } from "./look/supervisor-failures.ts";
export { watchRunTurn } from "./look/watch-turn.ts";
export { allTurns, endedTurns, type TurnSummary } from "./look/turns.ts";
export { openRuns, type Resume, type RunDetails, type Runs } from "./open-runs.ts";
export { pruneRuns, type Pruned, type PruneOptions } from "./prune.ts";
export { FOLDER, isRealFolder } from "./real-folder.ts";
export { findCheckpoint, type FoundCheckpoint } from "./resume/find.ts";
export type { Override } from "./resume/judge.ts";
export { type Item, makePlan, type Plan, type PlanOptions } from "./resume/plan.ts";
export { resumeRun, type ResumedWith, type ResumeOptions } from "./resume/resume.ts";
export { isRunId, newRunId, parseRunId } from "./run-id.ts";
export type { RunOptions } from "./run-options.ts";
export {
  type RunSnapshot,
  type RunSnapshots,
  runSnapshots,
  snapshotPaths,
} from "./snapshots/list.ts";
export { packEndedRuns, type PackOptions, unpackedRuns } from "./snapshots/pack.ts";
export { type RestoredRunSnapshot, restoreRunSnapshot } from "./snapshots/restore.ts";
export {
  type KeptSettings,
  loadKeptSettings,
  loadRun,
  type RunFiles,
  runStores,
  storedUnsaidCosts,
} from "./store.ts";
export { type StartOptions, startRun } from "./start.ts";
export type { UserFolders } from "./user/places.ts";
export { openUser, type User } from "./user/user.ts";
export { ignoreOwnFolder, listed, uncommitted } from "./work-tree.ts";
export { openWorkspace, repositoryOf, type Workspace } from "./workspace.ts";
