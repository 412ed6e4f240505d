/** For the packages of this workspace, which are released together: may change in any release. */
export { archiveNebula } from "./engine/archive.ts";
export { FILE_SCHEMAS, REQUIRED_KEYS } from "./spec/schema.ts";
export { type PhaseAttempt, phaseAttempts } from "./state/attempts.ts";
export { checkNebulae, type NebulaProblem } from "./state/check.ts";
export { type NebulaCost, nebulaCost } from "./state/cost.ts";
export { type NebulaNow, nebulaNow } from "./state/now.ts";
export { type KeptEvent, nebulaEvents } from "./state/events.ts";
export { isUnfinished, keptSpec, listNebulae } from "./state/list.ts";
export { type PrunedNebula, pruneNebula } from "./engine/prune.ts";
export { type Squashed, squashNebula } from "./landing/squash.ts";
export type { LandingsOnly } from "./engine/context.ts";
export { changesAnything, type NebulaUpdate, planUpdate, updateNebula } from "./engine/update.ts";
export { continueNebula, pauseEnds, pauseNebula } from "./people/pause.ts";
export { type BaseUpdate, updateBase } from "./engine/update-base.ts";
export { stopEngine } from "./people/stop.ts";
export { isTreeOfPhase, type OwnedPhase, phaseOfRun, phaseOfTree } from "./state/phase-run.ts";
export { hasTrees } from "./trees/left.ts";
export { nebulaHome, refsOf, runsFolder } from "./state/home.ts";
