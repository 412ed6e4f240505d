// What Go's strings.TrimSpace cuts. String.prototype.trim differs: it cuts U+FEFF and keeps U+0085.
const SPACE =
  "\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const ENDS = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "gu");
const LINE_BREAKS = new RegExp(`[${SPACE}]*[\\n\\v\\f\\r\\u0085\\u2028\\u2029][${SPACE}]*`, "gu");

/** Cuts white space from both ends: the set that the original's parser cuts. */
export function trimSpace(text: string): string {
  return text.replace(ENDS, "");
}

/** One line: each break, with the space around it, becomes one space. */
export function oneLine(text: string): string {
  return trimSpace(text.replace(LINE_BREAKS, " "));
}

/** The first line that says something, at most `limit` code points long. */
export function firstLine(text: string, limit: number): string {
  const line = text
    .split(/[\n\r]/u)
    .map(trimSpace)
    .find((candidate) => candidate !== "");
  return [...(line ?? "")].slice(0, limit).join("");
}

/** At most `limit` code points, never half of one, with a mark where something was cut. */
export function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = [...text.slice(0, limit * 2)];
  if (points.length <= limit) return text;
  return `${points.slice(0, limit).join("")}... [truncated]`;
}

/** Text of somebody else, in a fence that it cannot close. */
export function fence(text: string): string {
  let longest = 2;
  for (const run of text.matchAll(/`+/gu)) longest = Math.max(longest, run[0].length);
  const marks = "`".repeat(longest + 1);
  return `${marks}\n${text}\n${marks}`;
}
