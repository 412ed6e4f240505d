import { cleanLine, fit } from "@quasar/runs/text";

const MOST_LINES = 10;
const MOST_COLUMNS = 300;

/** The check whose output a finding is; `undefined`: it is a reviewer's. */
export function checkOf(
  description: string,
): { readonly check: string; readonly printed: string } | undefined {
  const [, check, printed = ""] = /^\[filter:([^\]]*)\] (.*)$/su.exec(description) ?? [];
  return check === undefined ? undefined : { check, printed };
}

/** The end of what a check has printed, where it says what is wrong. */
export function lastLines(printed: string): string[] {
  const lines = printed.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const last = lines.slice(-MOST_LINES).map((line) => fit(cleanLine(line), MOST_COLUMNS));
  return lines.length > MOST_LINES ? ["…", ...last] : last;
}
