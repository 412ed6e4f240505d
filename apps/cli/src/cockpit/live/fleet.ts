/** All of the cockpit that needs a fleet: loaded for its nebulae alone. */
export { createFleetDecider } from "./fleet-decide.ts";
export { openFleetSource } from "./fleet-source.ts";
