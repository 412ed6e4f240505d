import { writeSync } from "node:fs";
import { cleanLine, fit } from "@quasar/runs/text";
import { atCursor } from "./at-cursor.ts";
import type { Completable } from "./flags.ts";
import type { Candidate } from "./values.ts";

/** The line that has a shell complete names of files. No candidate begins as it does. */
const FILES = ":files";

const MOST_COLUMNS = 80;

/**
 * `complete -- <words…>`: prints what can stand at the cursor for the scripts of `completion`. It is asked while a
 * person types: whatever is wrong it writes no file, says nothing and does not fail.
 */
export async function complete(program: Completable, args: readonly string[]): Promise<void> {
  try {
    const words = args[0] === "--" ? args.slice(1) : args;
    writeSync(1, (await linesAt(program, words)).map((line) => `${line}\n`).join(""));
  } catch (error) {
    if (process.env["QUASAR_DEBUG"] === "1") console.error(error);
  }
}

/** What a shell is told: {@link FILES}, or each candidate, a tab, and what it is. */
export async function linesAt(
  program: Completable,
  words: readonly string[],
): Promise<readonly string[]> {
  const { values, args, before, typed } = atCursor(program, words);
  if (values === "files") return [FILES];
  const candidates = typeof values === "function" ? await values(typed, args) : values;
  return candidates
    .filter(isPlain)
    .map(([text, what]) => `${before}${text}\t${fit(cleanLine(what), MOST_COLUMNS)}`);
}

/** Whether a shell and its terminal take a text for what it is: names from files may be anything. */
function isPlain([text]: Candidate): boolean {
  return text !== "" && !text.startsWith(":") && cleanLine(text) === text;
}
