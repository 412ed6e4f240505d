import { nebulaPause } from "./nebula-pause.ts";
import { nebulaPlan } from "./nebula-plan.ts";
import { nebulaValidate } from "./nebula-validate.ts";
import { questionAnswer } from "./question-answer.ts";
import { receiptVerify } from "./receipt-verify.ts";
import { resumePlan } from "./resume-plan.ts";
import { runCost } from "./run-cost.ts";
import { runDiff } from "./run-diff.ts";
import { runEvents } from "./run-events.ts";
import { runFindings } from "./run-findings.ts";
import { runList } from "./run-list.ts";
import { runResume } from "./run-resume.ts";
import { runStart } from "./run-start.ts";
import { runStatus } from "./run-status.ts";
import { runStop } from "./run-stop.ts";
import type { Permission } from "../permission.ts";
import type { Tool } from "./tool.ts";

/** All tools. Approving and rejecting are none: a person does that. */
const TOOLS: readonly Tool[] = [
  runList,
  runStatus,
  runEvents,
  runFindings,
  runDiff,
  runCost,
  resumePlan,
  nebulaPlan,
  nebulaValidate,
  receiptVerify,
  runStart,
  runResume,
  runStop,
  nebulaPause,
  questionAnswer,
];

/** The tools of a server that was started with these permissions. */
export function toolsFor(allowed: ReadonlySet<Permission>): readonly Tool[] {
  return TOOLS.filter(({ permission }) => permission === undefined || allowed.has(permission));
}
