import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  ARTIFACTS_KEY,
  type Field,
  type FieldType,
  FINDING_FIELDS,
  FINDING_LISTS,
  KNOWN_KEYS,
  LEDGER_FIELDS,
  LEDGER_KEY,
  OUTCOME_FIELDS,
  OUTCOME_KEY,
  PROTECTED_FIELDS,
  PROTECTED_KEY,
  QUESTION_FIELDS,
  QUESTION_KEY,
  ROOT_FIELDS,
  SEALED_KEY,
  SETTINGS_KEY,
  TURN_FIELDS,
} from "./fields.ts";

const ON_DISK: Readonly<Record<FieldType, string>> = {
  text: "text",
  texts: "texts",
  integer: "integer",
  amount: "amount",
  flag: "boolean",
  time: "time",
  phase: "integer",
  choice: "text",
};

type Row = readonly [key: string, type: string, required: string];

const rows = (fields: readonly Field[], prefix = ""): readonly Row[] =>
  fields.map(({ key, type, absent }) => [
    prefix + key,
    ON_DISK[type],
    absent === undefined ? "yes" : "",
  ]);

/** What the codec writes. */
const written: readonly Row[] = [
  ...rows(ROOT_FIELDS),
  ...FINDING_LISTS.map(({ key }): Row => [key, "tables", "yes"]),
  ...rows(FINDING_FIELDS, "findings[]."),
  ...rows(QUESTION_FIELDS, `${QUESTION_KEY}[].`),
  ...rows(PROTECTED_FIELDS, `${PROTECTED_KEY}[].`),
  ...rows(TURN_FIELDS, "turn."),
  ...rows(LEDGER_FIELDS, `${LEDGER_KEY}[].`),
  ...rows(OUTCOME_FIELDS, `${OUTCOME_KEY}.`),
  [SEALED_KEY, "integer", ""],
  [SETTINGS_KEY, "table", ""],
  [ARTIFACTS_KEY, "table", ""],
];

const spec = readFileSync(new URL("../SPEC.md", import.meta.url), "utf8");
const [, section = ""] = spec.split("\n## Keys\n");
const [table = ""] = section.split("\n## ");

test("SPEC.md has each key of the file once, with its type and whether it is required", () => {
  const typed = [...table.matchAll(/^\| (`[^|]*`) +\| (\w+) +\| (yes)? +\|/gmu)];
  const listed = typed.flatMap(([, keys = "", type = "", required = ""]) =>
    [...keys.matchAll(/`([^`]+)`/gu)].map(([, key = ""]): Row => [key, type, required]),
  );
  const lines = (some: readonly Row[]): readonly string[] => some.map((row) => row.join(" "));
  expect(lines(listed).toSorted()).toEqual(lines(written).toSorted());
});

test("every key that is not kept as unknown is one of these, or a former name", () => {
  const roots = new Set(written.map(([key]) => key.replace(/(?:\[\])?\..*/u, "")));
  const former = new Set(ROOT_FIELDS.map(({ formerKey }) => formerKey));
  expect([...KNOWN_KEYS].filter((key) => !roots.has(key) && !former.has(key))).toEqual([]);
});
