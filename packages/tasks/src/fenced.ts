import { fenceFor } from "@quasar/runs/report";

/**
 * A text that is not ours, in a Markdown fence longer than any run of backticks within.
 *
 * @param language - Of the fence's info string. @default none
 */
export function fenced(text: string, language = ""): string {
  const fence = fenceFor(text);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
