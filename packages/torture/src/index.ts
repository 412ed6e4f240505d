export { type Command, type Life } from "./life.ts";
export { type Fixture, type Place } from "./place.ts";
export { formatStep, parseStep, type Step, STEP_KINDS, type StepKind } from "./step.ts";
export { torture, type Tortured, type TortureOptions } from "./torture.ts";
export {
  compareFacts,
  type Facts,
  type Kill,
  type Next,
  type Subject,
  type Trial,
} from "./trial.ts";
export type { KillKind } from "./watcher.ts";
