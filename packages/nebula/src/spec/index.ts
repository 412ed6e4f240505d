/** The folder of a nebula: what its files say, and what is wrong with them. */
export {
  decodeGoState,
  encodeGoState,
  goOutcome,
  type GoState,
} from "./go-state.ts";
export { type LoadedNebula, loadNebula } from "./load.ts";
export { encodePhaseFile } from "./phase-file.ts";
export { promptOf } from "./prompt.ts";
export { isInScope, parseScope, type Scope, scopesOverlap } from "./scope.ts";
export { type PhaseSettings, settingsOf, type UserSettings } from "./settings.ts";
export { type TrustRequest, trustRequests } from "./trust.ts";
export type {
  Execution,
  Gate,
  NebulaSpec,
  PhaseFile,
  PhaseSpec,
  ProblemCategory,
  SpecProblem,
} from "./types.ts";
