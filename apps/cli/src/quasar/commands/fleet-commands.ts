export { fleetDoctorCommand } from "./fleet-doctor.ts";
export { fleetServeCommand } from "./fleet-serve.ts";
export { fleetStatusCommand } from "./fleet-status.ts";
export { fleetUpCommand } from "./fleet-up.ts";
export { depotInitCommand } from "./depot-init.ts";
export { nebulaFetchCommand } from "./nebula-fetch.ts";
export { workerCommand } from "./worker.ts";
