/** Many phases of work by coding agents, each in a work tree of its own, landed one by one on one branch. */
export { archiveNebula } from "./engine/archive.ts";
export { type ApplyEnd, applyNebula, type ApplyOptions, unfinishedOf } from "./engine/apply.ts";
export type { EngineLimits, PhaseRunOptions } from "./engine/context.ts";
export type { StopReason } from "./engine/engine.ts";
export { NebulaError, type NebulaErrorCode } from "./errors.ts";
export type { NebulaEvent, Told } from "./events.ts";
export { type Answer, type Answered, answerPhase } from "./people/answer.ts";
export { nebulaCost, type NebulaCost } from "./state/cost.ts";
export { type KeptEvent, nebulaEvents } from "./state/events.ts";
export { findNebula, isUnfinished, keptSpec, listNebulae } from "./state/list.ts";
export { hasTrees } from "./trees/left.ts";
export type { NebulaState, PhaseState, PhaseStatus } from "./state/state.ts";
