export { ATLAS_LAWS, tortureAtlas, type TortureAtlasOptions } from "./atlas/torture.ts";
export { TortureError, type TortureErrorCode } from "./errors.ts";
export { formatKill, KILL_KINDS, parseKill } from "./kill.ts";
export type { Command, Life } from "./life.ts";
export type { Fixture, Place } from "./place.ts";
export {
  quasarLaws,
  TORTURED_AGENTS,
  type TorturedAgentName,
  tortureQuasar,
  type TortureQuasarOptions,
} from "./quasar/torture.ts";
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
  type Kill,
  type Next,
  type Subject,
  type Trial,
} from "./trial.ts";
export type { Clock, KillKind } from "./watcher.ts";
