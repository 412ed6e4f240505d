import { blank, type Text } from "./text.ts";

const CODE = /(?<ticks>`+)[^`](?:(?!\n\s*\n).)*?\k<ticks>(?!`)/gs;

/** Prose with its code in backticks taken out: that is checked as names are. */
export function proseTexts(text: string, start: number): readonly Text[] {
  const codes = [...text.matchAll(CODE)].map(
    (found): Text => ({ kind: "identifier", text: found[0], start: start + found.index }),
  );
  return [{ kind: "prose", text: text.replaceAll(CODE, blank), start }, ...codes];
}
