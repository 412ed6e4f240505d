import { expect, test } from "vitest";
import { ago } from "./hook-lines.ts";

const AT = "2026-01-17T14:42:15.000Z";

test.for([
  [-5_000, "now"],
  [0, "now"],
  [999, "now"],
  [1_000, "1 s ago"],
  [59_999, "59 s ago"],
  [120_000, "2 min ago"],
  [3_599_000, "59 min ago"],
  [3_600_000, "1 h ago"],
  [172_800_000, "2 d ago"],
] as const)("what was %i ms before is %s", ([ms, text]) => {
  expect(ago(AT, Date.parse(AT) + ms)).toBe(text);
});
