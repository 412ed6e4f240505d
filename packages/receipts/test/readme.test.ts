import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (name: string): string => readFileSync(join(import.meta.dirname, "..", name), "utf8");

// SPEC.md, statements 117, 118, 134, 135.
test("the README says what receipts are against and what they are not", () => {
  const readme = read("README.md").replaceAll(/\s+/g, " ");
  for (const words of [
    "Tamper-evident, not unforgeable",
    "an agent with a shell of the same user, and root",
    "show damage, an agent's false claims",
    "Back up the master key elsewhere",
    "Consider encrypting it with a passphrase",
  ]) {
    expect(readme).toContain(words);
  }
});

test("each test that SPEC.md names is there, and each statement that a test names is in SPEC.md", () => {
  const files = ["src/codec", "src/keys", "src/receipt", "src/derivation", "src/attacks"];
  const others = ["test/processes", "test/tools", "test/bits", "test/readme"];
  const tests = [...files, ...others].map((name) => read(`${name}.test.ts`)).join("\n");
  const table = read("SPEC.md").split("## Statements")[1] ?? "";
  const names = [...table.matchAll(/\| `([^`]+)` *\|/g)].map(([, name = ""]) => name);
  expect(names.length).toBeGreaterThan(25);
  for (const name of names) expect(tests).toContain(name);
  const numbers = [...tests.matchAll(/SPEC\.md, statements ([\d, ]+)\./g)].flatMap(
    ([, list = ""]) => list.split(", "),
  );
  for (const number of numbers) expect(table).toMatch(new RegExp(`\\b${number}\\b`));
});

// SPEC.md, statements 116.
test("no cryptography but node's is depended upon", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: object };
  expect(Object.keys(dependencies)).toEqual(["@quasar/durable"]);
});
