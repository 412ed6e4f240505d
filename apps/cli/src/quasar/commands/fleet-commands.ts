export { fleetDoctorCommand } from "./fleet-doctor.ts";
export { fleetServeCommand } from "./fleet-serve.ts";
export { fleetStatusCommand } from "./fleet-status.ts";
export { fleetUpCommand } from "./fleet-up.ts";
