/** The port of a nebula over a Restate server, for work on several machines. */
export { createFleetPort, type FleetPort, type FleetPortOptions } from "./client/port.ts";
export type { FleetKey } from "./mac.ts";
export { registerFleet, type RegisterOptions } from "./register.ts";
