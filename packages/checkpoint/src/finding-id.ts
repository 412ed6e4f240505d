import { hash } from "node:crypto";

/** What Go's `strings.TrimSpace` removes; it differs from `trim()` in U+0085 and U+FEFF. */
const goSpace =
  "[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
const leading = new RegExp(`^${goSpace}+`);
const trailing = new RegExp(`(?<!${goSpace})${goSpace}+$`);

/**
 * The id by which a reviewer's verification finds its finding again: `f-` and 12 hex digits of
 * SHA-256 over severity and trimmed description. The severity's case counts.
 *
 * @see SPEC.md, "Finding ids"
 */
export function findingId(severity: string, description: string): string {
  const trimmed = description.toWellFormed().replace(leading, "").replace(trailing, "");
  return `f-${hash("sha256", `${severity.toWellFormed()}:${trimmed}`).slice(0, 12)}`;
}
