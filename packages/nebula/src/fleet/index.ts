/** Work on a nebula by several machines, over any port and a depot. */
export { depotNames } from "./depot-names.ts";
export { submitNebula, type SubmitOptions } from "./submit.ts";
export { type WorkerEvent, type WorkerOptions, workOnFleet } from "./work.ts";
export type { ReachEvent } from "./reach-log.ts";
export { stateOf } from "./state-of.ts";
