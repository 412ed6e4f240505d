export {
  createDisk,
  ProcessKilled,
  type SimulatedDisk,
  type SimulatedFileSystem,
} from "./testing/disk.ts";
export type { Effect, Image, NameChange } from "./testing/effects.ts";
export {
  type CrashFinding,
  type CrashRegime,
  type CrashReport,
  exploreCrashes,
  type ExploreCrashesOptions,
  type SimulatedProcess,
  type Value,
} from "./testing/explore.ts";
export {
  type Call,
  failing,
  type Fault,
  type FaultyFileSystem,
  shortWrites,
} from "./testing/faults.ts";
export { PERSISTENCE_MODELS, type PersistenceModel } from "./testing/models.ts";
export { type Chooser, createChooser } from "./testing/seeded.ts";
export { type Sync, withoutSync } from "./testing/without-sync.ts";
