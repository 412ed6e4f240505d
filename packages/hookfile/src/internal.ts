// For the packages of this workspace, which are released together; may change in any release.

export { withEntries } from "./store/entries.ts";
export { TASK_FILES } from "./store/files.ts";
export { decodeHookFile, encodeHookFile } from "./store/hook-codec.ts";
export { taskFoldersOf } from "./removal/task-folders.ts";
export { isBuried } from "./removal/tombstone.ts";
export { isSetUp } from "./transitions/steps.ts";
export { withoutOwnBlock } from "./git-hook/script.ts";
