export { eachSecond } from "./each-second.ts";
export { isFullDisk, named, withName } from "./errno.ts";
export { findProgram, type ProgramPlaces } from "./find-program.ts";
export {
  currentProcess,
  identityOf,
  isAlive,
  isOfEarlierBoot,
  isSameProcess,
  parseIdentity,
  type ProcessIdentity,
} from "./identity.ts";
export {
  canContain,
  endContained,
  type EndedProcesses,
  endMarked,
  type EndMarkedOptions,
  findMarked,
  findWorkDirs,
  isMarkValue,
  listProcesses,
  type Mark,
} from "./marks.ts";
export { makeFolders } from "./make-folders.ts";
export { openFilesLimit } from "./open-files.ts";
export { runProgram } from "./run.ts";
export type { NotStarted, Program, ProgramEnd, RunOptions, Sink, StopReason } from "./program.ts";
export { sendSignal } from "./signal.ts";
export { syncFileSystem } from "./sync-file-system.ts";
export type { ListedProcess } from "./platform.ts";
