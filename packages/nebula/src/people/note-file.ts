import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { DurableError, readWholeFile } from "@quasar/durable";

/** The text that a command has left for an engine; `undefined` where there is none, or none that Quasar can have left. */
export function readNote(path: string, maxBytes: number): string | undefined {
  try {
    const bytes = readWholeFile(path, { maxBytes });
    return bytes && Buffer.from(bytes).toString();
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return undefined;
  }
}

/** Gives whatever is at a path another name, so that it is not met again. @returns That name. */
export function quarantine(path: string): string {
  const kept = `${path}.left-${randomBytes(4).toString("hex")}`;
  renameSync(path, kept);
  return kept;
}
