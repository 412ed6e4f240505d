/** Tests that every adapter of the nebula's port has to pass. */
export { describeNebulaPort, type PortSuite } from "./port/suite.ts";
export { A, anOffer, aWorker, Scene, TTL_MS } from "./port/scene.ts";
export type { PortKit } from "./port/kit.ts";
export type * from "../port/port.ts";
export { PortError, type PortErrorCode } from "../port/errors.ts";
