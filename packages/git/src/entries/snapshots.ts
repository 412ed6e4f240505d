export { type RestoredSnapshot, restoreSnapshot } from "../restore.ts";
export {
  type PackedSnapshot,
  packSnapshot,
  type SnapshotPack,
  verifySnapshotPack,
} from "../snapshot-pack.ts";
export { listSnapshots, type Snapshot, takeSnapshot } from "../snapshots.ts";
