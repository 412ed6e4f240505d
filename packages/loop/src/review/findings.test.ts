import { expect, test } from "vitest";
import { filterFinding } from "./findings.ts";

const idOf = (output: string): string => filterFinding("test", output, 1).id;

test.for([
  ["Ran 1 test in 0.002s", "Ran 1 test in 0.013s", "unittest"],
  ["1 failed in 9.98 seconds", "1 failed in 10.01 seconds", "a longer number"],
  ["Duration  812 ms", "Duration  1 s", "another unit"],
  ["real 1m3.2s", "real 0m59.1s", "minutes and seconds"],
  ["FAIL a (1,2 s)", "FAIL a (0,9 s)", "a comma"],
  ["ℹ duration_ms 296.657502", "ℹ duration_ms 301.1", "node --test, without a unit"],
  ["  duration_ms: 0.98", "  duration_ms: 1.2", "TAP"],
  ['"duration": 12', '"duration": 9', "JSON"],
  ["Time: 1.204", "Time: 0.99", "a time"],
  [" Start at  14:07:25", " Start at  09:59:01", "a clock"],
  ["[2026-11-26T14:07:25.123Z] bad", "[2026-11-27T09:01:02Z] bad", "a moment"],
  ["2026-11-26 14:07:25,123 bad", "2026-12-01 09:01:02,9 bad", "a log's moment"],
  ["bad\nnpm notice\nnpm notice New major version\n", "bad\n", "what npm says once a day"],
  ["(node:4711) Warning", "(node:123) Warning", "a process of node"],
  ["pid 4711 died", "pid 12 died", "a process"],
  ["open /tmp/shop-Xy12/a.db: bad", "open /tmp/shop-Zz98/a.db: bad", "a temporary file"],
  [
    "at /var/folders/x1/T/shop-Xy/a.js:3:1",
    "at /var/folders/x1/T/shop-Zz/a.js:3:1",
    "one of macOS",
  ],
] as const)("a failed check is the same finding whenever it runs: %s, %s", ([one, other]) => {
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
  ["at a.js:12:34:1", "at a.js:13:34:1"],
  ["at /tmp/shop/a.js:3:1", "at /tmp/shop/b.js:3:1"],
  ["expected 2026-11-26, got 2026-11-27", "expected 2026-11-26, got 2026-11-28"],
  ["node 22 is too old", "node 20 is too old"],
] as const)("another number is another finding: %s, %s", ([one, other]) => {
  expect(idOf(one)).not.toBe(idOf(other));
});

test("a finding of a check keeps what failed of a long output", () => {
  const around = "ok 1 - a part of it\n".repeat(200);
  const { description } = filterFinding("test", `${around}not ok 2 - two spaces\n${around}`, 1);
  expect(description).toContain("\nnot ok 2 - two spaces\n");
  expect(description.length).toBeLessThan(3020);
});

test("a finding of a check says what the check printed", () => {
  const { description } = filterFinding("test", "Ran 1 test in 0.002s", 1);
  expect(description).toBe("[filter:test] Ran 1 test in 0.002s");
});
