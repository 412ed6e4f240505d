import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import { DurableError, readWholeFile } from "@quasar/durable";
import { hasErrno } from "@quasar/process/files";

/** What is at a path: nothing any more (`gone`), a text, or something that Quasar cannot have left there (`foreign`). */
export type NoteFile =
  | { readonly kind: "gone" | "foreign" }
  | { readonly kind: "text"; readonly text: string };

/** Reads what a command has left for an engine. */
export function readNote(path: string, maxBytes: number): NoteFile {
  try {
    const bytes = readWholeFile(path, { maxBytes });
    if (bytes === undefined) return { kind: "gone" };
    return { kind: "text", text: Buffer.from(bytes).toString() };
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    return { kind: "foreign" };
  }
}

/**
 * Gives whatever is at a path another name, so that it is not met again.
 *
 * @returns That name; `undefined` where nothing is there any more.
 */
export function quarantine(path: string): string | undefined {
  const kept = `${path}.left-${randomBytes(4).toString("hex")}`;
  try {
    renameSync(path, kept);
    return kept;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}
