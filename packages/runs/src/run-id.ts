import { randomBytes } from "node:crypto";
import { RunsError } from "./errors.ts";
import { cleanLine } from "./text/clean.ts";
import { fit } from "./text/width.ts";

const RUN_ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/u;

/**
 * An id for a new run: sorts by the time (UTC) it was made, and is safe as a file's name. The last
 * six digits are three of the millisecond and three of chance.
 */
export function newRunId(now: Date): string {
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/u, "")
    .replaceAll(/[-:]/gu, "")
    .replace("T", "-");
  const ms = now.getUTCMilliseconds().toString(16).padStart(3, "0");
  return `${stamp}-${ms}${randomBytes(2).toString("hex").slice(1)}`;
}

export function isRunId(text: string): boolean {
  return RUN_ID.test(text);
}

/** @throws {RunsError} `ERR_USAGE`: an id becomes part of a path, so nothing else is let through. */
export function parseRunId(text: string): string {
  if (isRunId(text)) return text;
  throw new RunsError("ERR_USAGE", `"${fit(cleanLine(text), 60)}" is not the id of a run`, {
    next: [{ do: "list" }],
  });
}
