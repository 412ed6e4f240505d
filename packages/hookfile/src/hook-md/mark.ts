import { hash } from "node:crypto";
import type { HookFile } from "../store/hook-file.ts";

/** What the last line of a HOOK.md says of the hook file that it was rendered from. */
export interface HookMdMark {
  readonly revision: number;
  /** As `hookDigest` gives it. */
  readonly sha256: string;
}

/**
 * SHA-256 of a hook file in its canonical form, 64 hex digits: it does not depend on the order of
 * keys, on white space, or on whether an optional value is absent or undefined.
 *
 * @see SPEC.md, "The mark"
 */
export function hookDigest(hook: HookFile): string {
  return hash("sha256", canonical(hook));
}

export function hookMdMark(hook: HookFile): string {
  return `<!-- hook rev=${hook.revision} sha256=${hookDigest(hook)} -->`;
}

const LAST_LINE = /(?:^|\n)<!-- hook rev=(\d{1,16}) sha256=([0-9a-f]{64}) -->\n$/;
// No line has more; the search for the pattern is kept to the text's end.
const LAST_LINE_LENGTH = 120;

/** The mark in the last line of a HOOK.md, or `undefined`: a torn file has none. */
export function readHookMdMark(text: string): HookMdMark | undefined {
  const [, revision, sha256] = LAST_LINE.exec(text.slice(-LAST_LINE_LENGTH)) ?? [];
  if (revision === undefined || sha256 === undefined) return undefined;
  return { revision: Number(revision), sha256 };
}

/** JSON without white space, members sorted by the UTF-16 units of their keys (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}
