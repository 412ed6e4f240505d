import { visibleText } from "@quasar/agents/environment";

/**
 * Text of others as one harmless line: no escapes, controls, bidirectional or invisible characters.
 *
 * @param limit - In code points; what is cut off leaves an ellipsis.
 */
export function plainLine(text: string, limit = 300): string {
  const points = Array.from(
    plainText(text.slice(0, limit * 20))
      .replace(/\s+/gu, " ")
      .trim(),
  );
  return points.length <= limit ? points.join("") : `${points.slice(0, limit - 1).join("")}…`;
}

/** The same with its lines, each ended by a newline only. */
export function plainText(text: string): string {
  return visibleText(text.toWellFormed())
    .replaceAll(/\r\n?|[\u2028\u2029]/gu, "\n")
    .replaceAll(/[^\P{C}\n\t]/gu, "");
}

/** One word of a shell command, whatever is in it; with no line break, so that it can be pasted. */
export function shellWord(text: string): string {
  const line = plainLine(text, 4000);
  return /^[\w@%+=:,./-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`;
}

/** Of many the first. */
const MOST_NAMED = 10;

export function listed(texts: readonly string[]): string {
  const rest = texts.length - MOST_NAMED;
  const shown = texts.slice(0, MOST_NAMED).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** The paths in which two trees differ. */
export function namedPaths(paths: readonly string[]): string {
  return paths.length === 0 ? "modes only" : listed(paths.map((path) => plainLine(path, 100)));
}

/** The first digits of a commit's id, for a person. */
export function shortSha(sha: string): string {
  return sha.slice(0, 10);
}
