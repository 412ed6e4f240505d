import { expect, test } from "vitest";
import { openFilesFindings } from "./open-files.ts";

test.for([
  [24, ["problem"]],
  [256, ["warning"]],
  [1024, ["ok"]],
  [Number.POSITIVE_INFINITY, ["ok"]],
  [undefined, []],
] as const)("%s open files: %s", ([limit, states]) => {
  expect(openFilesFindings(limit).map(({ state }) => state)).toEqual(states);
});
