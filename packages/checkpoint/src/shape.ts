import { CheckpointError } from "./errors.ts";
import { checkedValue } from "./field-value.ts";
import {
  FINDING_LISTS,
  HEAD_FIELDS,
  LEDGER_KEY,
  OUTCOME_KEY,
  PROTECTED_KEY,
  QUESTION_KEY,
  SETTINGS_KEY,
} from "./fields.ts";
import { isTable } from "./table.ts";
import { checkVersion } from "./version.ts";

/** Every list of tables. */
const LISTS = [
  ...FINDING_LISTS,
  { key: QUESTION_KEY, name: "questions" },
  { key: PROTECTED_KEY, name: "protectedPaths" },
  { key: LEDGER_KEY, name: "ledger" },
];

/** Every table that may be missing. */
const OPTIONAL_TABLES = ["turn", OUTCOME_KEY, SETTINGS_KEY];

/**
 * Refuses what is no checkpoint as a whole, so that its values can be used one by one.
 *
 * @param value - A checkpoint by its type; a caller without types may give anything.
 * @throws {CheckpointError} `ERR_INCOMPATIBLE_VERSION`; `ERR_INVALID_CHECKPOINT`, naming the key.
 */
export function checkShape(value: unknown): void {
  if (!isTable(value)) throw notValid("a checkpoint", "an object");
  checkVersion(value["version"]);
  for (const field of HEAD_FIELDS) checkedValue(field, value[field.name]);
  for (const { key, name } of LISTS) {
    const list = value[name];
    if (!Array.isArray(list) || !list.every(isTable)) throw notValid(key, "a list of objects");
  }
  if (!isTable(value["extra"])) throw notValid("extra", "an object");
  for (const name of OPTIONAL_TABLES) {
    const table = value[name];
    if (table !== undefined && !isTable(table)) throw notValid(name, "an object");
  }
}

function notValid(key: string, wanted: string): CheckpointError {
  return new CheckpointError("ERR_INVALID_CHECKPOINT", `${key} is not ${wanted}`);
}
