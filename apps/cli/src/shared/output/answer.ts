import { parseReview, reviewText } from "@quasar/loop/review";

/** The structured answer that a text is; `undefined`: it is prose. */
export function structuredIn(text: string): object | undefined {
  if (!/^\s*\{/u.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** Whether a reviewer's text says what it decides. */
export function isReview(text: string): boolean {
  return parseReview(reviewText(text) ?? "").verdict !== undefined;
}
