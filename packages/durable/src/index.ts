export { createOnce } from "./create-once.ts";
export { DurableError, type DurableErrorCode, type DurableErrorOptions } from "./errors.ts";
export {
  type DurableOptions,
  type FileStat,
  type FileSystem,
  nodeFileSystem,
  type Random,
} from "./file-system.ts";
export { type LoadedFile, loadFile } from "./load.ts";
export { acquireLock, type AcquireLockOptions, type Lock, lockOwner } from "./lock.ts";
export { currentOwner, isAlive, type Owner, ownerOf } from "./owner.ts";
export { type ReadFileOptions, readFileHead, readPrivateFile, readWholeFile } from "./read.ts";
export { recoverDirectory, type RecoverDirectoryOptions } from "./recover.ts";
export { removeFile } from "./remove.ts";
export { replaceFile, type ReplaceFileOptions } from "./replace.ts";
export { setAside, type SetAsideOptions } from "./set-aside.ts";
export { syncFiles } from "./sync-files.ts";
