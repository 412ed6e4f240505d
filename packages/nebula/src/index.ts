/** Many phases of work by coding agents, each in a work tree of its own, landed one by one on one branch. */
export { NebulaError, type NebulaErrorCode } from "./errors.ts";
