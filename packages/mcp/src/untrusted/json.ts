/**
 * JSON in which no text of others can act: in one line, and with all that is not seen (control and format characters,
 * separators of lines, tags, what is unassigned) as escapes. Parsed, it is what it was made of.
 */
export function inertJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSEEN, escaped);
}

// A space and a new line stay; JSON has escaped the latter inside of texts.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu;

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
