export { HookFileError, type HookFileErrorCode } from "./errors.ts";
export type { Change } from "./store/entries.ts";
export {
  HOOK_STATES,
  type HookFile,
  type HookState,
  type NewTask,
  type StepCheckpoint,
  type StepRecord,
  type StepType,
} from "./store/hook-file.ts";
export { createHookFileStore, type HookFileStore } from "./store/store.ts";
export type { HookFileStoreOptions } from "./store/store-options.ts";
export { nextStep } from "./transitions/steps.ts";
export type { HookInput } from "./transitions/transition-events.ts";
export { isTerminal, transition, TRANSITIONS } from "./transitions/transitions.ts";
