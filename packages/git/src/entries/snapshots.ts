export { listRefs, removeRefs } from "../refs.ts";
export { restoreSnapshot } from "../restore.ts";
export { packSnapshot, type SnapshotPack, verifySnapshotPack } from "../snapshot-pack.ts";
export { listSnapshots, type Snapshot, takeSnapshot } from "../snapshots.ts";
