import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { goStatusOf } from "../state/mirror.ts";
import { entriesOf } from "./read-table.ts";
import { FRONT_MATTER, MANIFEST } from "./schema.ts";
import { PROBLEM_CATEGORIES } from "./types.ts";

const document = readFileSync(join(import.meta.dirname, "../../SPEC.md"), "utf8");

/** The cells of the rows of a section's first table. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const [, section = ""] = document.split(`\n${heading}\n`);
  const lines = (section.split(/^#/m)[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function* keysOf(schema: v.GenericSchema, under = ""): Generator<readonly string[]> {
  for (const [name, inner] of Object.entries(entriesOf(schema) ?? {})) {
    if (entriesOf(inner) !== undefined) {
      yield* keysOf(inner, `${under}${name}.`);
      continue;
    }
    const { wrapped, default: fallback } = inner as unknown as {
      readonly wrapped: v.GenericSchema;
      readonly default?: unknown;
    };
    const shown = fallback === undefined ? "" : `\`${JSON.stringify(fallback)}\``;
    yield [`\`${under}${name}\``, shown, v.getDescription(wrapped) ?? ""];
  }
}

test.for([
  ["### nebula.toml", MANIFEST],
  ["### Front matter", FRONT_MATTER],
] as const)("SPEC.md has the keys of %s with their defaults and meanings", ([heading, schema]) => {
  expect(rowsOf(heading)).toEqual([...keysOf(schema)]);
});

test("SPEC.md has every category of problems", () => {
  expect(rowsOf("## Problems").map(([name]) => name)).toEqual(
    PROBLEM_CATEGORIES.map((name) => `\`${name}\``),
  );
});

test("SPEC.md has our states in the words of the Go original", () => {
  for (const [ours = "", there = ""] of rowsOf("## nebula.state.toml")) {
    for (const status of ours.split(", ")) {
      const word = there === "the same" ? status : there.replaceAll("`", "");
      expect(goStatusOf(status as Parameters<typeof goStatusOf>[0])).toBe(word);
    }
  }
});
