/**
 * A text that is not ours, in a Markdown fence longer than any run of backticks within.
 *
 * @param language - Of the fence's info string. @default none
 */
export function fenced(text: string, language = ""): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const fence = "`".repeat(1 + Math.max(2, ...runs.map(({ length }) => length)));
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}
