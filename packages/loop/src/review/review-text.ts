import { parseOnce } from "./parse-once.ts";
import { parseReview } from "./parse-review.ts";
import { type StructuredText, structuredText } from "./review-schema.ts";

/**
 * A reviewer's text in the words of the grammar: one object in the form of `REVIEW_SCHEMA` that stands in it, on lines of
 * its own, is rendered in its place.
 *
 * @returns The text as it is where there is no such object; `undefined` where it is not clear what the reviewer
 *   means: there are several, or what is said around it has another verdict.
 * @see SPEC.md, "The reviewer's answer"
 */
export function reviewText(text: string): string | undefined {
  const [found, ...more] = reviewsIn(text);
  const [before, after] =
    found === undefined ? [text, ""] : [text.slice(0, found.from), text.slice(found.to)];
  const rest = `${before}\n${after}`;
  // One in another form, or in the midst of something, may be a quotation, and may be meant.
  if (more.length > 0 || NAMES_A_VERDICT.test(rest)) return undefined;
  if (found === undefined) return text;
  const around = parseReview(rest).verdict;
  if (around !== undefined && around !== found.verdict) return undefined;
  // A reviewer that quotes an approval has something to say about it.
  const isAlone = FENCE_BEFORE.test(before) && FENCE_AFTER.test(after);
  if (found.verdict === "approved" && around === undefined && !isAlone) return undefined;
  return [before, found.text, after]
    .map((part) => part.trim())
    .join("\n\n")
    .trim();
}

const NAMES_A_VERDICT = /["']verdict["']\s*:/iu;
const FENCE_BEFORE = /^\s*(?:(?:`{3,}|~{3,})\s*\w*\s*)?$/u;
const FENCE_AFTER = /^\s*(?:`{3,}|~{3,})?\s*$/u;

interface FoundReview extends StructuredText {
  readonly from: number;
  readonly to: number;
}

/** Where an object of that form may begin: at the start of a line. */
const BEGINNING = /^[ \t]*(?=\{\s*"(?:verdict|findings|verifications|report)"\s*:)/gmu;
const REST_OF_LINE = /[ \t\r]*(?:\n|$)/uy;

/** Each character is read once: a text is as long as its author wants. */
function reviewsIn(text: string): readonly FoundReview[] {
  const found: FoundReview[] = [];
  const beginning = new RegExp(BEGINNING);
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const from = match.index + match[0].length;
    const to = endOfObject(text, from);
    if (to === undefined) break;
    const review = endsLine(text, to) ? reviewAt(text.slice(from, to)) : undefined;
    if (review !== undefined) found.push({ from, to, ...review });
    beginning.lastIndex = to;
  }
  return found;
}

function endsLine(text: string, at: number): boolean {
  REST_OF_LINE.lastIndex = at;
  return REST_OF_LINE.test(text);
}

/** The index behind an object's last bracket; `undefined`: it is never closed. */
function endOfObject(text: string, from: number): number | undefined {
  let [depth, isString] = [0, false];
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') isString = !isString;
    else if (isString && char === "\\") at += 1;
    else if (!isString && char === "{") depth += 1;
    else if (!isString && char === "}") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function reviewAt(json: string): StructuredText | undefined {
  return structuredText(parseOnce(json));
}
