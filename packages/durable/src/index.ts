export { createOnce } from "./create-once.ts";
export { DurableError, type DurableErrorCode, type DurableErrorOptions } from "./errors.ts";
export {
  type DurableOptions,
  type FileStat,
  type FileSystem,
  nodeFileSystem,
  type Random,
} from "./file-system.ts";
export { type Journal, openJournal, type OpenJournalOptions } from "./journal.ts";
export type {
  JournalDamage,
  JournalPosition,
  JournalRecord,
  JournalRecords,
  LastRecord,
} from "./journal-format.ts";
export { type LoadedFile, loadFile } from "./load.ts";
export { acquireLock, type AcquireLockOptions, type Lock } from "./lock.ts";
export { lockHolder } from "./lock-holders.ts";
export { type ReadFileOptions, readFileHead, readPrivateFile, readWholeFile } from "./read.ts";
export { readJournal, type ReadJournalOptions, readLastRecord } from "./read-journal.ts";
export { recoverDirectory, type RecoverDirectoryOptions } from "./recover.ts";
export { removeFile } from "./remove.ts";
export { replaceFile, type ReplaceFileOptions } from "./replace.ts";
export { setAside, type SetAsideOptions } from "./set-aside.ts";
export { syncFiles, syncNames } from "./sync-files.ts";
