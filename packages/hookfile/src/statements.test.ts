import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const spec = readFileSync(join(root, "SPEC.md"), "utf8").split("\n## Statements")[1] ?? "";
const tests = ["src", "test"]
  .flatMap((dir) =>
    readdirSync(join(root, dir), { recursive: true, encoding: "utf8" }).map((name) =>
      join(root, dir, name),
    ),
  )
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

/** `12, 45-47 to 49` as numbers. */
function numbersIn(text: string): readonly number[] {
  return text.split(/[,;]/u).flatMap((part) => {
    const [from, to = from] = part.split(/-|to/u).map(Number);
    if (from === undefined || to === undefined || !(from > 0)) return [];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** In the first column of the tables. */
const inSpec = new Set(
  [...spec.matchAll(/^\| +([\d ,;to-]+?) +\|/gmu)].flatMap(([, cell = ""]) => numbersIn(cell)),
);

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Those of keys and signatures are the receipts'. */
const OWNED: readonly number[] = [
  ...[...range(11, 16), ...range(20, 62), ...range(64, 76), ...range(78, 82), ...range(84, 114)],
  ...[...range(141, 143), ...range(150, 154), 165, 166, ...range(173, 185), 205, 206],
  ...[...range(208, 210), 212, ...range(233, 235)],
];

test("SPEC.md has every statement of the seed that is this package's", () => {
  expect(OWNED.filter((number) => !inSpec.has(number))).toEqual([]);
});

test("each of them that a test names is in SPEC.md", () => {
  const named = [...tests.matchAll(/SPEC\.md, statements ([^.]+)\./gu)].flatMap(([, list = ""]) =>
    numbersIn(list),
  );
  expect(new Set(named).size).toBeGreaterThan(100);
  expect(named.filter((number) => !inSpec.has(number))).toEqual([]);
});
