import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packages } from "../src/workspace.ts";

/** What a reader of an API can take in: exported names, types included. */
const MOST_OF_AN_ENTRY = 25;
const MOST_OF_A_PACKAGE = 60;

/**
 * Where there are more today. A number here may only become smaller, and goes where the limit is kept.
 */
const LARGER_ENTRIES: Readonly<Record<string, number>> = {
  "@quasar/git": 168,
  "@quasar/hookfile": 155,
};
const LARGER_PACKAGES: Readonly<Record<string, number>> = {
  "@quasar/git": 168,
  "@quasar/hookfile": 155,
};

const counted = packages.map(({ name, entries }) => ({
  name,
  entries: entries
    .filter(({ specifier, isInternal }) => !isInternal && !specifier.endsWith("/testing"))
    .map(({ specifier, report }) => ({ specifier, names: namesIn(report) })),
}));

test.for(counted.flatMap((pkg) => pkg.entries))(
  "$specifier exports no more than a reader can take in",
  ({ specifier, names }) => {
    const most = LARGER_ENTRIES[specifier] ?? MOST_OF_AN_ENTRY;
    expect(names.size, [...names].join(" ")).toBeLessThanOrEqual(most);
  },
);

test.for(counted)("$name exports no more than can be learned", ({ name, entries }) => {
  const names = new Set(entries.flatMap((entry) => [...entry.names]));
  const most = LARGER_PACKAGES[name] ?? MOST_OF_A_PACKAGE;
  expect(names.size, [...names].join(" ")).toBeLessThanOrEqual(most);
});

/** What an entry exports, by its report, which another test compares with the built types. */
function namesIn(report: string): ReadonlySet<string> {
  const lines = readFileSync(report, "utf8").split("\n");
  const names = lines.filter((line) => /^export\b|\bnamespace\b/u.test(line)).map(nameIn);
  return new Set(names);
}

/** A namespace object would hide how much there is, and so would all of another module. */
function nameIn(line: string): string {
  const declared =
    /^export (?:declare |abstract )*(?:class|const|enum|function|interface|type) (?<name>[\w$]+)/u;
  const reexported = /^export \{ (?<name>[\w$]+) \}$/u;
  const { name } = (declared.exec(line) ?? reexported.exec(line))?.groups ?? {};
  if (name === undefined) throw new Error(`not one exported name: ${line}`);
  return name;
}
