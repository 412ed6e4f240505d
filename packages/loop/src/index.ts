export {
  assessResume,
  type Check as ResumeCheck,
  type DirtyTree,
  type HeadVerdict,
  isCoderAtWork,
  type LeftRun,
  type Override,
  type Refusal,
  type ResumeAssessment,
  standingRefusals,
  storedBranch,
  type Verdict,
} from "./assess.ts";
export { type CheckpointHookOptions, createCheckpointHook } from "./checkpoint-hook.ts";
export { subjectGiven } from "./commit-message.ts";
export { type CheckpointMetadata, checkpointFromState, stateFromCheckpoint } from "./convert.ts";
export type { PlanAgents, PlanItem, PlanKind } from "./describe-resume.ts";
export * from "./errors.ts";
export * from "./event.ts";
export { allowFlags, failureFlags, openedWords } from "./failure-flags.ts";
export type * from "./finding.ts";
export { runFromCheckpoint, runTask } from "./loop.ts";
export { dollarsAllowed, turnAllowance, upToCent } from "./money.ts";
export type * from "./options.ts";
export { packageManagerOf, packageScripts } from "./package-scripts.ts";
export { parseReview } from "./parse-review.ts";
export { type Conventions, readConventions } from "./read-conventions.ts";
export {
  type CostEstimate,
  planResume,
  type ResumeLimits,
  type ResumePlan,
} from "./plan.ts";
export type * from "./review.ts";
export { REVIEW_SCHEMA, renderReview } from "./review-schema.ts";
export type * from "./state.ts";
export { type Clocks, waitUntil } from "./wait-until.ts";
export { type RefusedSubject, subjectPrompt } from "./subject-prompt.ts";
export { cutAtWord } from "./text.ts";
export { nextTurnId } from "./turn-id.ts";
export { giveUpTurn } from "./give-up.ts";
export { isAgentAlive, isTurnOpen, processOf } from "./turn-process.ts";
export { STRUGGLE_THRESHOLD, struggleScore } from "./struggle.ts";
