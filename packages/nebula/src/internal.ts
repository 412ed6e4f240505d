/** For the packages of this workspace, which are released together: may change in any release. */
export { FILE_SCHEMAS, REQUIRED_KEYS } from "./spec/schema.ts";
export { nebulaHome, refsOf, runsFolder } from "./state/home.ts";
