import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Redactor } from "@quasar/agents/environment";

/** Bytes of the end of an output that are searched for secrets: more than is shown, so that none is cut there. */
const READ_BYTES = 64 * 1024;

/** Characters at the beginning of what was read that are not shown: a secret that is cut there is not known as one. */
const CUT_CHARS = 16 * 1024;

const SHOWN_CHARS = 4000;

export interface OutputEndOptions {
  readonly redact: Redactor;
  /** Whether the output was cut off at its end, where a secret may be cut too. */
  readonly isCutOff: boolean;
}

/** The end of what a command has printed, as it is shown: without secrets, from the beginning of a line where it has several. */
export function outputEnd(path: string, { redact, isCutOff }: OutputEndOptions): string {
  const { text, isWhole } = readEnd(path);
  const complete = isCutOff ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
  const seen = redact(complete);
  const known = isWhole ? seen : seen.slice(CUT_CHARS);
  return lastLines(known.trim());
}

function lastLines(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  // One more, which may be the end of the line before.
  const end = text.slice(-SHOWN_CHARS - 1);
  const newline = end.indexOf("\n");
  return end.slice(newline < 0 ? 1 : newline + 1).toWellFormed();
}

function readEnd(path: string): { readonly text: string; readonly isWhole: boolean } {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, READ_BYTES));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return { text: bytes.toString(), isWhole: bytes.length === size };
  } finally {
    closeSync(file);
  }
}
