export { eachSecond } from "./each-second.ts";
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
  findWorkingFolders,
  isMarkValue,
  listProcesses,
  type Mark,
} from "./marks.ts";
export { runProgram } from "./run.ts";
export type { Program, ProgramEnd, RunOptions } from "./program.ts";
export { sendSignal } from "./signal.ts";
