/** Many phases of work by coding agents, each in a work tree of its own, landed one by one on one branch. */
export { type ApplyEnd, applyNebula, type ApplyOptions } from "./engine/apply.ts";
export type { Beginning } from "./engine/begin.ts";
export type { EngineLimits, PhaseRunOptions } from "./context/context.ts";
export { NebulaError, type NebulaErrorCode } from "./errors.ts";
export type { NebulaEvent, StopReason, Told } from "./events.ts";
export { type Answer, type Answered, answerPhase } from "./people/answer.ts";
export { findNebula } from "./state/choose.ts";
export { isUnfinished, listNebulae, unfinishedOf } from "./state/list.ts";
export type {
  NebulaState,
  PhaseState,
  PhaseStatus,
  PushState,
  TypedLimits,
} from "./state/state.ts";
