import { GitError } from "./errors.ts";
import { oneLine } from "./text.ts";

/** The trailers by which a commit says which run it belongs to. */
export const TRAILER = {
  task: "Quasar-Task",
  step: "Quasar-Step",
  attempt: "Quasar-Attempt",
  cycle: "Quasar-Cycle",
  /** `<run-id>.<n>` */
  turn: "Quasar-Turn",
  receipts: "Quasar-Receipts",
} as const;

/** Trailers by name, in order; a name that stands more than once has all its values. */
export type Trailers = ReadonlyMap<string, readonly string[]>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9-]*$/;

/**
 * One line for each. A value becomes one line, as `oneLine` has it.
 *
 * @throws {GitError} `ERR_INVALID_ARGUMENT` for a name that git does not take for a trailer's.
 */
export function formatTrailers(trailers: Readonly<Record<string, string>>): string {
  return Object.entries(trailers)
    .map(([name, value]) => {
      if (NAME.test(name)) return `${name}: ${oneLine(value)}\n`;
      const message = `${JSON.stringify(name)} is not a trailer's name: letters, digits, hyphens`;
      throw new GitError("ERR_INVALID_ARGUMENT", message);
    })
    .join("");
}

/**
 * Reads the trailers of a commit message: the lines `Name: value` of its last paragraph, unless
 * that is the subject. A line that begins with white space continues the one before.
 */
export function parseTrailers(message: string): Trailers {
  const paragraphs = message
    .replaceAll("\r\n", "\n")
    .trim()
    .split(/\n\s*\n/);
  const trailers = new Map<string, string[]>();
  if (paragraphs.length < 2) return trailers;
  for (const line of (paragraphs.at(-1) ?? "").replace(/\n[ \t]+/g, " ").split("\n")) {
    const [, name, value] = /^([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    trailers.set(name, [...(trailers.get(name) ?? []), value.trim()]);
  }
  return trailers;
}
