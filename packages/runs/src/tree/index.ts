/** What whoever drives runs in a work tree shares, wherever their folders are: its lock, its processes, a run's stores. */
export type { Waiting } from "../events.ts";
export type { CompatibilityCheckpoint } from "./compatible.ts";
export { type DrivenRun, driveRun, type DriveRunOptions, type RunDriver } from "./drive-run.ts";
export { freeGitLocks } from "./git-locks.ts";
export { stateFolder, takeTreeLock } from "./lock.ts";
export {
  endLeftovers,
  findLeftovers,
  type LeftoverProcesses,
  foreignProcessesIn,
} from "./processes.ts";
export { runCommand } from "./run-command.ts";
export { type RunStores, storesIn } from "./stores.ts";
