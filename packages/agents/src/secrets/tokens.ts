import { KEPT_RULES } from "./kept-rules.generated.ts";
import { OWN_RULES } from "./own-rules.ts";

const RULES = [...KEPT_RULES.rules, ...OWN_RULES];

/**
 * What stands before a token: no letter and no digit, unless they end what stands for a character in
 * JSON, in a URL or in a string of a program, or a terminal's colour.
 */
const BEFORE = [
  "(?<![\\p{L}\\p{N}])",
  "(?<=\\\\[bfnrtv])",
  "(?<=\\\\u[0-9A-Fa-f]{4})",
  "(?<=\\\\x[0-9A-Fa-f]{2})",
  "(?<=%[0-9A-Fa-f]{2})",
  "(?<=\\u001b\\[[0-9;]{0,20}m)",
].join("|");

const beginnings = RULES.flatMap(({ prefixes }) => prefixes)
  .toSorted((a, b) => b.length - a.length)
  .map((prefix) => prefix.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));

/** Where a token may begin. That there is no such place is known quickly, of any text. */
const BEGINNING = new RegExp([...new Set(beginnings)].join("|"), "g");
const TOKEN = new RegExp(
  `(?:${BEFORE})(?:${RULES.map(({ pattern }) => pattern).join("|")})`,
  "muy",
);

/** Whether there is anything in a text that a token could begin with. */
export function mayHoldToken(text: string): boolean {
  BEGINNING.lastIndex = 0;
  return BEGINNING.test(text);
}

/**
 * Replaces each token that is known by how it begins.
 *
 * @see SPEC.md, "Secrets"
 */
export function replaceTokens(text: string, mask: string): string {
  const pieces: string[] = [];
  let kept = 0;
  BEGINNING.lastIndex = 0;
  for (let found = BEGINNING.exec(text); found !== null; found = BEGINNING.exec(text)) {
    TOKEN.lastIndex = found.index;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) {
      BEGINNING.lastIndex = found.index + 1;
    } else {
      pieces.push(text.slice(kept, found.index), mask);
      kept = found.index + token.length;
      // No rule knows how long a token may get.
      while (isOfToken(text.charCodeAt(kept))) kept += 1;
      BEGINNING.lastIndex = kept;
    }
  }
  return kept === 0 ? text : pieces.join("") + text.slice(kept);
}

/** Whether it is one of `A-Z a-z 0-9 _ -`; past the end of a text there is none. */
function isOfToken(unit: number): boolean {
  const letter = unit & ~0x20;
  return (letter >= 65 && letter <= 90) || (unit >= 48 && unit <= 57) || unit === 95 || unit === 45;
}
