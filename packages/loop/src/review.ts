import type { FindingStatus } from "@quasar/checkpoint";

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
