/** For the packages of this workspace, which are released together: may change in any release. */
export { FILE_SCHEMAS, REQUIRED_KEYS } from "./spec/schema.ts";
export { checkNebulae, type NebulaProblem } from "./state/check.ts";
export { isUnfinished, listNebulae } from "./state/list.ts";
export { type OwnedPhase, phaseOfRun, phaseOfTree } from "./state/phase-run.ts";
