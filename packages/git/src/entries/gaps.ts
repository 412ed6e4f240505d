export { type CommitGaps, openCommitGaps } from "../gaps.ts";
export type { Landed } from "../landed.ts";
