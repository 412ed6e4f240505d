import * as fc from "fast-check";
import { stringify } from "smol-toml";
import { expect, test } from "vitest";
import { parsed } from "../../test/a-nebula.ts";
import { entriesOf } from "./read-table.ts";
import { FRONT_MATTER, MANIFEST } from "./schema.ts";

const scalar = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.constantFrom("", "trust", "all", "5m", "a", "b", "../x", "__proto__", "constructor"),
  fc.integer({ min: -5, max: 100 }),
  fc.double(),
  fc.boolean(),
  fc.constant(new Date(0)),
);
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("name", "model", "max_score", "tiers", "enabled", "x"), scalar),
);
const odd = ["__proto__", "constructor", "toString", "x.y", ""];

/** A table with some of these keys and odd ones, with values of any kind. */
function aTable(keys: readonly string[]): fc.Arbitrary<object> {
  return fc
    .array(fc.tuple(fc.constantFrom(...keys, ...odd), value), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries));
}

const sections = Object.entries(entriesOf(MANIFEST) ?? {});
const manifest = fc.record(
  Object.fromEntries(
    sections.map(([name, schema]) => [name, aTable(Object.keys(entriesOf(schema) ?? {}))]),
  ),
  { requiredKeys: [] },
);
const phase = fc.tuple(aTable(Object.keys(entriesOf(FRONT_MATTER) ?? {})), fc.string());

test("texts of any kind are a nebula or have problems", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom("+++", "\n", "\r\n", "id", "=", '"a"', "[", "]", "#", "\uFEFF", "x"))
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, text, (manifest, file) => {
      const { spec, problems } = parsed({ "nebula.toml": manifest, "a.md": file });
      expect(spec !== undefined || problems.length > 0).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("whatever the keys of a nebula hold, it is a nebula or has problems, and nothing else happens", () => {
  fc.assert(
    fc.property(manifest, fc.array(phase, { maxLength: 4 }), (table, phases) => {
      const files = phases.map(([front, body], at) => [
        `${at}.md`,
        `+++\n${stringify({ id: `p${at}`, title: "T", ...front })}+++\n${body}`,
      ]);
      const { spec, problems } = parsed({
        "nebula.toml": stringify({ nebula: { name: "n" }, ...table }),
        ...(Object.fromEntries(files) as Record<string, string>),
      });
      const hasErrors = problems.some(({ severity }) => severity === "error");
      expect(spec === undefined).toBe(hasErrors);
    }),
    { numRuns: 500 },
  );
});
