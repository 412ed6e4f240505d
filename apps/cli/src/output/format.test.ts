import { expect, test } from "vitest";
import { budget, clock, count, duration, money } from "./format.ts";

test.for([
  [0, "$0.00"],
  [0.001, "<$0.01"],
  [0.125, "$0.13"],
  [12, "$12.00"],
] as const)("shows %d dollars as %s", ([usd, text]) => {
  expect(money(usd)).toBe(text);
});

test.for([
  [1.5, 5, "$1.50 of $5.00"],
  [1.5, 0, "$1.50, no limit"],
] as const)("shows %d spent of %d", ([spent, max, text]) => {
  expect(budget(spent, max)).toBe(text);
});

test.for([
  [420, "0.4 s"],
  [9_960, "10 s"],
  [59_400, "59 s"],
  [187_000, "3:07"],
] as const)("shows %d ms as %s", ([ms, text]) => {
  expect(duration(ms)).toBe(text);
});

test("shows hours on a clock", () => {
  expect(clock(3_729_999)).toBe("1:02:09");
});

test.for([
  [0, "no findings"],
  [1, "1 finding"],
  [2, "2 findings"],
] as const)("counts %d as %s", ([n, text]) => {
  expect(count(n, "finding")).toBe(text);
});
