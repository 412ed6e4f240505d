export { createOnce } from "./create-once.ts";
export { DurableError, type DurableErrorCode } from "./errors.ts";
export {
  type DurableOptions,
  type FileStat,
  type FileSystem,
  nodeFileSystem,
  type Random,
} from "./file-system.ts";
export { type LoadedFile, loadFile } from "./load.ts";
export { acquireLock, type Lock } from "./lock.ts";
export { lockHolder } from "./lock-holders.ts";
export { readFileHead, readPrivateFile, readWholeFile } from "./read.ts";
export { recoverDirectory } from "./recover.ts";
export { removeFile } from "./remove.ts";
export { replaceFile, type ReplaceFileOptions } from "./replace.ts";
export { quarantine } from "./quarantine.ts";
export { syncFiles, syncNames } from "./sync-files.ts";
