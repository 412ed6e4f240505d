/** What whoever drives runs in a work tree shares, wherever their folders are: its lock, its processes, a run's stores. */
export { freeGitLocks } from "./git-locks.ts";
export { stateFolder, takeTreeLock, treeLockPath } from "./lock.ts";
export { endRun, processesIn, strangersIn } from "./processes.ts";
export {
  archivingStore,
  guardedStore,
  recoverAndLoad,
  type RunStores,
  storesIn,
} from "./stores.ts";
