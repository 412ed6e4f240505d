import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDirectory } from "../test/request.ts";
import { ownRewrites, undoRewrite } from "./own-rewrites.ts";

const BEFORE = '{"ui": {"theme": "x"}}\n';

/** What a file holds once an agent has written something else into it, and that was undone. */
function afterTurn(before: string, written: string): string {
  const path = join(aDirectory(), "settings.json");
  writeFileSync(path, before);
  const rewrites = ownRewrites(path, "$version");
  writeFileSync(path, written);
  rewrites.forEach(undoRewrite);
  return readFileSync(path, "utf8");
}

test.for([
  ["a key that is new", BEFORE, '{\n  "ui": { "theme": "x" },\n  "$version": 4\n}\n'],
  ["another value of it", '{"$version":2,"a":1}', '{"$version":4,"a":1}'],
  ["another form", BEFORE, '{"ui":{"theme":"x"}}'],
] as const)("gives a file back what it held but for %s", ([, before, written]) => {
  expect(afterTurn(before, written)).toBe(before);
});

test.for([
  ["something else was changed", BEFORE, '{"ui":{"theme":"y"},"$version":4}'],
  ["it holds no JSON any more", BEFORE, "none"],
  ["it held none", "none", "{}"],
  ["it held a list", "[]", '{"$version":4}'],
] as const)("leaves a file where %s", ([, before, written]) => {
  expect(afterTurn(before, written)).toBe(written);
});

test("touches nothing but a file that is there", () => {
  const dir = aDirectory();
  const at = (name: string): string => join(dir, name);
  writeFileSync(at("outside"), '{"$version":4}');
  symlinkSync(at("outside"), at("link"));
  mkdirSync(at("folder"));
  for (const name of ["link", "folder", "missing"]) {
    expect(ownRewrites(at(name), "$version")).toEqual([]);
    undoRewrite({ path: at(name), text: "{}", key: "$version" });
  }
  expect(readFileSync(at("outside"), "utf8")).toBe('{"$version":4}');
});
