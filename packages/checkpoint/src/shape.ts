import { CheckpointError } from "./errors.ts";
import { checkedValue } from "./field-value.ts";
import { FINDING_LISTS, HEAD_FIELDS, LEDGER_KEY, PROTECTED_KEY } from "./fields.ts";
import { checkVersion } from "./version.ts";

/** Every list of tables. */
const LISTS = [
  ...FINDING_LISTS,
  { key: PROTECTED_KEY, name: "protectedPaths" },
  { key: LEDGER_KEY, name: "ledger" },
];

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
  const { turn } = value;
  if (turn !== undefined && !isTable(turn)) throw notValid("turn", "an object");
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notValid(key: string, wanted: string): CheckpointError {
  return new CheckpointError("ERR_INVALID_CHECKPOINT", `${key} is not ${wanted}`);
}
