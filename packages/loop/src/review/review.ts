import type { FindingStatus } from "@quasar/checkpoint";
import type { Finding } from "./finding.ts";

/** The reviewer's closing words on the whole task. */
export interface ReviewReport {
  /** As the reviewer says it, lower case: usually `high`, `medium` or `low`. */
  readonly satisfaction: string;
  readonly risk: string;
  readonly needsHumanReview: boolean;
  readonly summary: string;
}

/** The reviewer's verdict on a finding of an earlier cycle. */
export interface Verification {
  readonly findingId: string;
  readonly status: FindingStatus;
  readonly comment: string;
}

/** A finding as the reviewer's text gives it: not yet of a cycle. */
export type ReportedFinding = Pick<Finding, "id" | "severity" | "description">;

/** What a reviewer's answer says. */
export interface ParsedReview {
  /** `undefined`: it neither approves nor names an issue, so nobody may act on it. */
  readonly verdict: "approved" | "changes_requested" | undefined;
  readonly findings: readonly ReportedFinding[];
  readonly verifications: readonly Verification[];
  readonly report: ReviewReport | undefined;
}
