export { parseRetention } from "../recovery/duration.ts";
export { taskFolder } from "../store/files.ts";
export { cleanupHookFiles, DEFAULT_RETENTION, type RetentionPolicy } from "./cleanup.ts";
export { removeHookFile } from "./remove.ts";
export { listTaskFolders, type TaskFolder } from "./task-folders.ts";
export { readArchive } from "./tombstone.ts";
