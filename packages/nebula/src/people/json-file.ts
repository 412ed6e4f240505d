import * as v from "valibot";
import { readNote } from "./note-file.ts";

/** Bytes of the largest file that is read: a decision whose reason has as many characters as one may, each escaped. */
const MOST_BYTES = 128 * 1024;

/** What a file of JSON says; `undefined` where there is none, and where it is another than Quasar writes. */
export function readJson<Schema extends v.GenericSchema>(
  path: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(readNote(path, MOST_BYTES) ?? ""));
    return parsed.success ? parsed.output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
