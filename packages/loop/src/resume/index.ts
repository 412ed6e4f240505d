/** What a run that was cut off meets when it continues: whether it may, and what that may cost. */
export {
  assessResume,
  type LeftRun,
  type Override,
  type Refusal,
  type ResumeAssessment,
  remainingRefusals,
} from "./assess.ts";
export type { PlanItem, PlanKind } from "./describe-resume.ts";
export { type CostEstimate, planResume, type ResumeLimits, type ResumePlan } from "./plan.ts";
