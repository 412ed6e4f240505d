import * as v from "valibot";
import { readNote } from "./note-file.ts";

/** Bytes of the largest file that is read: a decision whose reason has as many characters as one may, each escaped. */
const MOST_BYTES = 128 * 1024;

/** What is at a path: nothing (`gone`), JSON that Quasar writes there (`said`), or something else (`foreign`). */
export type JsonFile<T> =
  | { readonly kind: "gone" | "foreign" }
  | { readonly kind: "said"; readonly said: T };

/** Reads a file of JSON. */
export function findJson<Schema extends v.GenericSchema>(
  path: string,
  schema: Schema,
): JsonFile<v.InferOutput<Schema>> {
  const file = readNote(path, MOST_BYTES);
  if (file.kind !== "text") return file;
  try {
    const parsed = v.safeParse(schema, JSON.parse(file.text));
    return parsed.success ? { kind: "said", said: parsed.output } : { kind: "foreign" };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "foreign" };
    throw error;
  }
}

/** What a file of JSON says; `undefined` where there is none, and where it is another than Quasar writes. */
export function readJson<Schema extends v.GenericSchema>(
  path: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const found = findJson(path, schema);
  return found.kind === "said" ? found.said : undefined;
}
