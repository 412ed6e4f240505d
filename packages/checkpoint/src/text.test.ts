import { expect, test } from "vitest";
import { cutText } from "./text.ts";

test.for([
  ["ab😀cd", 3, "ab😀"],
  ["ab😀cd", 2, "ab"],
  ["ab😀cd", 99, "ab😀cd"],
  ["😀😀", 0, ""],
  ["half \ud83d", 99, "half \ufffd"],
] as const)("cuts %j at %i code points", ([text, max, expected]) => {
  expect(cutText(text, max)).toBe(expected);
});
