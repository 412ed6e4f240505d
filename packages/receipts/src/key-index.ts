import { Buffer } from "node:buffer";
import { join } from "node:path";
import { DurableError, loadFile, replaceFile } from "@quasar/durable";
import { ReceiptError } from "./errors.ts";
import * as is from "./fields.ts";
import { isSameTask, TASK_FIELDS, type TaskName } from "./task-name.ts";

interface Index {
  readonly version: number;
  readonly tasks: readonly unknown[];
}

interface Entry extends TaskName {
  readonly keyIndex: number;
}

const list = { says: "a list", accepts: (value: unknown) => Array.isArray(value) };
const INDEX: is.Fields<Index> = { version: ["version", is.exactly(1)], tasks: ["tasks", list] };
const ENTRY: is.Fields<Entry> = { ...TASK_FIELDS, keyIndex: ["key_index", is.index] };

/**
 * The number of a task in the paths of its keys: the same each time, and no other task's. Call it
 * while the folder is held.
 *
 * @throws {ReceiptError} `ERR_DAMAGED`
 */
export function allocateKeyIndex(dir: string, task: TaskName): number {
  const path = join(dir, "index.json");
  const entries = readEntries(path);
  const known = entries.find((entry) => isSameTask(entry, task));
  if (known !== undefined) return known.keyIndex;
  const keyIndex = Math.max(-1, ...entries.map((entry) => entry.keyIndex)) + 1;
  const tasks = [...entries, { ...task, keyIndex }].map((entry) => is.toRecord(entry, ENTRY));
  const json = JSON.stringify(is.toRecord({ version: 1, tasks }, INDEX), undefined, 2);
  replaceFile(path, Buffer.from(`${json}\n`));
  return keyIndex;
}

function readEntries(path: string): readonly Entry[] {
  const parse = (bytes: Uint8Array): readonly Entry[] =>
    is.fromRecord(is.parseJson(bytes), INDEX).tasks.map((entry) => is.fromRecord(entry, ENTRY));
  try {
    return loadFile(path, parse, { maxBytes: 2 ** 26 })?.value ?? [];
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const message = `${error.message}: put the right file there, or remove ${path}* to count from zero`;
    throw new ReceiptError("ERR_DAMAGED", message, { cause: error });
  }
}
