import { expect, test } from "vitest";
import { limitOf } from "./platform.ts";

test.for([
  ["1024", 1024],
  ["unlimited", Number.POSITIVE_INFINITY],
  ["", undefined],
  ["many", undefined],
  [undefined, undefined],
] as const)("a limit of %j is %s", ([text, limit]) => {
  expect(limitOf(text)).toBe(limit);
});
