import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packages } from "../src/workspace.ts";

/** What a reader of an API can take in: exported names, types included. */
const MOST_OF_AN_ENTRY = 25;
const MOST_OF_A_PACKAGE = 60;

/** Tests' helpers are not counted, nor is what the packages of this workspace have among each other. */
const counted = packages.map(({ name, entries }) => ({
  name,
  entries: entries.filter(
    ({ specifier, isInternal }) => !isInternal && !specifier.endsWith("/testing"),
  ),
}));

test.for(counted.flatMap(({ entries }) => entries))(
  "$specifier exports no more than a reader can take in",
  ({ report }) => {
    const names = namesIn(report);
    expect(names.size, [...names].join(" ")).toBeLessThanOrEqual(MOST_OF_AN_ENTRY);
  },
);

test.for(counted)("$name exports no more than can be learned", ({ entries }) => {
  const names = new Set(entries.flatMap(({ report }) => [...namesIn(report)]));
  expect(names.size, [...names].join(" ")).toBeLessThanOrEqual(MOST_OF_A_PACKAGE);
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
