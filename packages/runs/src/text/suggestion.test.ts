import { expect, test } from "vitest";
import { suggestion } from "./suggestion.ts";

test.for([
  ["dmo", '; did you mean "demo"?'],
  ["max_worker", '; did you mean "max_workers"?'],
  ["deom", '; did you mean "demo"?'],
  ["tow", '; did you mean "two"?'],
  ["x", ""],
  ["dome", ""],
  ["another", ""],
] as const)("to %s the answer is %j", ([name, words]) => {
  expect(suggestion(name, ["p", "demo", "two", "max_workers"])).toBe(words);
});

test("the known name is shown as its caller wants it", () => {
  expect(suggestion("dmo", ["demo"], (name) => `a/${name}\u001b`)).toBe(
    String.raw`; did you mean "a/demo\u{1b}"?`,
  );
});
