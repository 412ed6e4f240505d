/** What whoever drives runs in a work tree shares, wherever their folders are: its lock, its processes, a run's stores. */
export type { RunEnd, Waiting } from "../events.ts";
export { type CompatibilityCheckpoint, removeCompatible } from "./compatible.ts";
export {
  type DrivenEnd,
  type DrivenRun,
  driveRun,
  type DriveRunOptions,
  type RunDriver,
} from "./drive-run.ts";
export { allTurns, type TurnSummary } from "../look/turns.ts";
export { type RunFolders, storedTurn } from "../look/turn.ts";
export { limitOf, patienceOf, type WaitPlan, withoutPause } from "../limits/patience.ts";
export { freeGit, freeGitLocks, type TreeDriver } from "./git-locks.ts";
export { stateFolder, takeTreeLock } from "./lock.ts";
export {
  endLeftovers,
  findLeftovers,
  type LeftoverProcesses,
  leftoversBeside,
  strangersIn,
} from "./processes.ts";
export { type NotificationOptions, runNotification } from "./notification.ts";
export { recoverAndLoad, type RunStores, storesIn } from "./stores.ts";
