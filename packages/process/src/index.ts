export { findProgram, type ProgramPlaces } from "./find-program.ts";
export {
  currentProcess,
  identityOf,
  isAlive,
  isSameProcess,
  parseIdentity,
  type ProcessIdentity,
} from "./identity.ts";
export {
  type EndedProcesses,
  endMarked,
  type EndMarkedOptions,
  findMarked,
  isMarkValue,
  listProcesses,
  type Mark,
} from "./marks.ts";
export {
  type NotStarted,
  type Program,
  type ProgramEnd,
  runProgram,
  type RunOptions,
  type Sink,
  type StopReason,
} from "./run.ts";
export { sendSignal } from "./signal.ts";
export type { ListedProcess } from "./system.ts";
