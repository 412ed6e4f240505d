import { expect, test } from "vitest";
import { filterFinding } from "./findings.ts";

const idOf = (output: string): string => filterFinding("test", output, 1).id;

test.for([
  ["Ran 1 test in 0.002s", "Ran 1 test in 0.013s", "unittest"],
  ["1 failed in 9.98 seconds", "1 failed in 10.01 seconds", "a longer number"],
  ["Duration  812 ms", "Duration  1 s", "another unit"],
  ["real 1m3.2s", "real 0m59.1s", "minutes and seconds"],
  ["FAIL a (1,2 s)", "FAIL a (0,9 s)", "a comma"],
] as const)("a failed check is the same finding however long it took: %s, %s", ([one, other]) => {
  expect(idOf(one)).toBe(idOf(other));
});

test("where the output is cut does not depend on how long it took", () => {
  const rest = "x".repeat(4000);
  expect(idOf(`took 9.9s ${rest}`)).toBe(idOf(`took 10.1s ${rest}`));
});

test.for([
  ["1 failed", "2 failed"],
  ["expected 3, got 4", "expected 3, got 5"],
  ["line 12: bad", "line 13: bad"],
  ["commit 12ab", "commit 13ab"],
  ["3 steps", "4 steps"],
] as const)("another number is another finding: %s, %s", ([one, other]) => {
  expect(idOf(one)).not.toBe(idOf(other));
});

test("a finding of a check says what the check printed", () => {
  const { description } = filterFinding("test", "Ran 1 test in 0.002s", 1);
  expect(description).toBe("[filter:test] Ran 1 test in 0.002s");
});
