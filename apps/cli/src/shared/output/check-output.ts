import { excerptLines } from "@quasar/loop/internal";
import { clean, fit } from "@quasar/runs/text";

/** The marks of what is left out included. */
const MOST_LINES = 11;
const MOST_COLUMNS = 300;

/** The check whose output a finding is; `undefined`: it is a reviewer's. */
export function checkOf(
  description: string,
): { readonly check: string; readonly printed: string } | undefined {
  const [, check, printed = ""] = /^\[filter:([^\]]*)\] (.*)$/su.exec(description) ?? [];
  return check === undefined ? undefined : { check, printed };
}

/** What of a check's output says what is wrong, a line each, as it was printed. */
export function tellingLines(printed: string): readonly string[] {
  const lines = excerptLines(printed, MOST_LINES, () => 1);
  return lines.map((line) => fit(clean(line), MOST_COLUMNS));
}
