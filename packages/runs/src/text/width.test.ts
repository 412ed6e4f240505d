import { expect, test } from "vitest";
import { fit, widthOf, wrap } from "./width.ts";

test.for([
  ["plain", 5],
  ["日本", 4],
  ["e\u0301", 1],
  ["🎉!", 3],
  ["", 0],
] as const)("counts the columns of %j as %d", ([text, columns]) => {
  expect(widthOf(text)).toBe(columns);
});

test.for([
  ["exactly ten", 11, "exactly ten"],
  ["exactly ten", 10, "exactly t…"],
  ["one two", 5, "one…"],
  ["日本語", 4, "日…"],
  ["ab", 1, "…"],
] as const)("cuts %j to %d columns", ([text, columns, expected]) => {
  expect(fit(text, columns)).toBe(expected);
});

test.for([
  ["a few short words", 8, ["a few", "short", "words"]],
  ["two\nlines", 20, ["two", "lines"]],
  ["abcdefghij", 4, ["abcd", "efgh", "ij"]],
  ["", 10, [""]],
  ["  a few\n    short words", 30, ["  a few", "    short words"]],
  ["   wraps under where it begins", 24, ["   wraps under where it", "   begins"]],
  [`${" ".repeat(90)}deep`, 24, ["    deep"]],
] as const)("wraps %j at %d columns", ([text, columns, expected]) => {
  expect(wrap(text, columns)).toEqual(expected);
});
