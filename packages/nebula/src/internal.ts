/** For the packages of this workspace, which are released together: may change in any release. */
export { fileSchemas } from "./spec/schema.ts";
