import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

/** `12, 45-47 to 49` as numbers. */
function numbersIn(text: string): readonly number[] {
  return text.split(/[,;]/u).flatMap((part) => {
    const [from, to = from] = part.split(/-|to/u).map((word) => Number.parseInt(word, 10));
    return from === undefined || to === undefined || !(from > 0) ? [] : range(from, to);
  });
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** In the first column of the tables, which may say more than the number. */
function inSpec(name: string): ReadonlySet<number> {
  const spec = readFileSync(join(ROOT, "packages", name, "SPEC.md"), "utf8");
  const [, statements = ""] = spec.split("\n## Statements");
  const cells = [...statements.matchAll(/^\| (\d[^|]*)\|/gmu)].map(([, cell = ""]) => cell);
  return new Set(cells.flatMap((cell) => numbersIn(/^[\d ,to-]*/u.exec(cell)?.[0] ?? "")));
}

/** That a test of a package names. */
function named(...folders: readonly string[]): ReadonlySet<number> {
  const texts = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules"))
      .map((path) => readFileSync(join(ROOT, folder, path), "utf8")),
  );
  const lists = [...texts.join("\n").matchAll(/SPEC\.md, statements ([^.]+)\./gu)];
  return new Set(lists.flatMap(([, list = ""]) => numbersIn(list)));
}

/** The libraries' own: hook file, receipts. */
const OF_LIBRARIES: readonly number[] = [
  ...[...range(11, 16), ...range(20, 62), ...range(64, 76), ...range(78, 82), ...range(84, 143)],
  ...[...range(150, 154), 165, 166, ...range(173, 185), ...range(205, 210), 212],
  ...range(231, 236),
];
const ALL = range(1, 237);

test("SPEC.md has every statement of the seed, once, and no other", () => {
  const spec = readFileSync(join(ROOT, "packages/tasks/SPEC.md"), "utf8");
  const [, statements = ""] = spec.split("\n## Statements");
  const cells = [...statements.matchAll(/^\| (\d[^|]*)\|/gmu)].map(([, cell = ""]) => cell);
  expect(cells.flatMap(numbersIn).toSorted((a, b) => a - b)).toEqual(ALL);
});

test("each statement that is a library's is in that library's SPEC.md", () => {
  const theirs = new Set([...inSpec("hookfile"), ...inSpec("receipts")]);
  expect(OF_LIBRARIES.filter((number) => !theirs.has(number))).toEqual([]);
});

test("each statement that is not a library's is named by a test of tasks or of atlas", () => {
  const shown = named("packages/tasks/src", "packages/tasks/test", "apps/cli/src", "apps/cli/test");
  const own = ALL.filter((number) => !OF_LIBRARIES.includes(number));
  expect(own.filter((number) => !shown.has(number))).toEqual([]);
  expect([...shown].filter((number) => !ALL.includes(number))).toEqual([]);
});
