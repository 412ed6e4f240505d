/** What a reviewer may answer, and how it is read. */
export { parseReview } from "./parse-review.ts";
export type { ParsedReview } from "./review.ts";
export { REVIEW_SCHEMA, renderReview } from "./review-schema.ts";
export { reviewText } from "./review-text.ts";
