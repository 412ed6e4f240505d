import { stripVTControlCharacters } from "node:util";

/**
 * Hostile text as one harmless line: no escapes, control, bidi or invisible characters.
 *
 * @param maxLength - in code points; what is cut off leaves an ellipsis.
 */
export function cleanLine(text: string, maxLength = 300): string {
  const visible = stripVTControlCharacters(text.slice(0, maxLength * 20).toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/\p{Cf}/gu, "")
    .trim();
  const points = Array.from(visible);
  return points.length <= maxLength ? visible : `${points.slice(0, maxLength - 1).join("")}…`;
}
