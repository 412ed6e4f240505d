/** For the packages of this workspace, which are released together: may change in any release. */
export { agentOfTurn } from "../exit-record.ts";
export { createRedactionSet, type RedactionSet } from "../secrets/redaction-set.ts";
