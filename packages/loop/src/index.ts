export {
  assessResume,
  type Check as ResumeCheck,
  type DirtyTree,
  type HeadVerdict,
  type LeftRun,
  type Override,
  type Refusal,
  type ResumeAssessment,
  standingRefusals,
  storedBranch,
  type Verdict,
} from "./resume/assess.ts";
export type { WayBack } from "./resume/way-back.ts";
export { type CheckpointHookOptions, createCheckpointHook } from "./checkpoint-hook.ts";
export { subjectGiven } from "./commit/commit-message.ts";
export { type CheckpointMetadata, checkpointFromState, stateFromCheckpoint } from "./convert.ts";
export type { PlanAgents, PlanItem, PlanKind } from "./resume/describe-resume.ts";
export * from "./errors.ts";
export * from "./event.ts";
export { allowFlags, failureFlags, openedWords } from "./failure-flags.ts";
export type * from "./review/finding.ts";
export type { TurnKind } from "./course.ts";
export { resumeTurn, runFromCheckpoint, runTask, runTurn } from "./loop.ts";
export { dollarsAllowed, turnAllowance, upToCent } from "./money/money.ts";
export type * from "./options.ts";
export { packageManagerOf, packageScripts } from "./checks/package-scripts.ts";
export { parseReview } from "./review/parse-review.ts";
export { type Conventions, readConventions } from "./repository/read-conventions.ts";
export {
  type CostEstimate,
  planResume,
  type ResumeLimits,
  type ResumePlan,
} from "./resume/plan.ts";
export type * from "./review/review.ts";
export { REVIEW_SCHEMA, renderReview } from "./review/review-schema.ts";
export type * from "./state.ts";
export { type Clocks, waitUntil } from "./wait-until.ts";
export { type RefusedSubject, subjectPrompt } from "./turn/subject-prompt.ts";
export { cutAtWord } from "./text.ts";
export { nextTurnId } from "./turn/turn-id.ts";
export { giveUpTurn } from "./turn/give-up.ts";
export { isAgentAlive, isTurnOpen, processOf } from "./turn/turn-process.ts";
export { STRUGGLE_THRESHOLD, struggleScore } from "./review/struggle.ts";
