/** What clients have to be told of the server, and what it may be told: nothing of the protocol is loaded. */
export {
  type Client,
  type ClientEntry,
  clientEntry,
  CLIENTS,
  type ServerCommand,
} from "./clients.ts";
export { START_LIMITS, type StartLimits } from "../start/limits.ts";
export { type Permission, PERMISSIONS } from "../permission.ts";
