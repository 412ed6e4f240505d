export { type CommitSetup, inspectCommitSetup } from "../commit-setup.ts";
export { checkSigning } from "../signing.ts";
