export { CHANCE, chanceOf } from "./chance.ts";
export { TortureError, type TortureErrorCode } from "./errors.ts";
export { formatKill, KILL_KINDS, parseKill } from "./kill.ts";
export { type Command, endOf, type Life } from "./life.ts";
export { type Fixture, makeScratch, type Place } from "./place.ts";
export { isAtWork, processesOf } from "./processes.ts";
export {
  type ReportOptions,
  reportOf,
  type ReportRow,
  tableOf,
  type TortureReport,
} from "./report.ts";
export { formatStep, parseStep, type Step, STEP_KINDS, type StepKind } from "./step.ts";
export { torture, type Tortured, type TortureOptions } from "./torture.ts";
export {
  compareFacts,
  type Deviation,
  type Facts,
  type Next,
  type Subject,
  type Trial,
} from "./trial.ts";
export type { Kill } from "./kill.ts";
export type { Clock, KillKind } from "./watcher.ts";
