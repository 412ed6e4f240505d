import { widthOf } from "@quasar/runs/text";
import type { Style } from "../../shared/output/text.ts";
import type { Line } from "./line.ts";

/** What a terminal can show. */
export interface Abilities {
  readonly hasColour: boolean;
  /** Whether its locale names a character set that is not UTF-8. */
  readonly isAscii: boolean;
}

const CODES: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** A line as it is written to a terminal. */
export function painted(spans: Line, { hasColour, isAscii }: Abilities): string {
  return spans
    .map(({ text, style }) => {
      const shown = isAscii ? inAscii(text) : text;
      if (style === undefined || !hasColour || shown.trim() === "") return shown;
      const [on, off] = CODES[style];
      return `\u001b[${on}m${shown}\u001b[${off}m`;
    })
    .join("");
}

/** Of the same width. */
function inAscii(text: string): string {
  return Array.from(text, (char) => {
    if (/^[ -~]$/u.test(char)) return char;
    return PLAIN[char] ?? "?".repeat(widthOf(char));
  }).join("");
}

const PLAIN: Readonly<Record<string, string>> = {
  ...{ "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "├": "+", "┤": "+" },
  ...{ "·": "-", "…": "~", "≤": "<" },
};

/** What the environment says of the terminal. */
export function abilitiesOf(env: Readonly<Record<string, string | undefined>>): Abilities {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return {
    hasColour: (env["NO_COLOR"] ?? "") === "",
    isAscii: locale !== "" && !/utf-?8/iu.test(locale),
  };
}
