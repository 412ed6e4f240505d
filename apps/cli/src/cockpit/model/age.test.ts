import { expect, test } from "vitest";
import { age, lasted } from "./age.ts";

test.for([
  [-5, "0 s", "0 s"],
  [4900, "4 s", "4 s"],
  [41_000, "40 s", "41 s"],
  [60_000, "1 min", "1 min"],
  [3_900_000, "1 h 5", "1 h 5"],
] as const)("%i ms are %s while they pass, and %s afterwards", ([ms, passing, passed]) => {
  expect([age(ms), lasted(ms)]).toEqual([passing, passed]);
});
