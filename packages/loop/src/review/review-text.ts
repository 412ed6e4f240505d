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
  if (found === undefined) return text;
  if (more.length > 0) return undefined;
  const [before, after] = [text.slice(0, found.from), text.slice(found.to)];
  const around = parseReview(`${before}\n${after}`).verdict;
  if (around !== undefined && around !== found.verdict) return undefined;
  // A reviewer that quotes an approval has something to say about it.
  if (found.verdict === "approved" && around === undefined && !isEnd(after)) return undefined;
  return [before, found.text, after]
    .map((part) => part.trim())
    .join("\n\n")
    .trim();
}

/** Whether nothing comes any more, but for the end of a fence. */
function isEnd(text: string): boolean {
  return /^\s*(?:`{3,}|~{3,})?\s*$/u.test(text);
}

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
  // Of a key that is there twice, readers take different ones.
  const isTwice = (json.match(/"verdict"\s*:/gu)?.length ?? 0) > 1;
  return isTwice ? undefined : structuredText(parsed(json));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
