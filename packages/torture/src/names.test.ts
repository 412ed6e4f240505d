import { expect, test } from "vitest";
import { formatKill, parseKill } from "./kill.ts";
import { formatStep, parseStep } from "./step.ts";

test.for([
  { kind: "rename", on: "work/a b #2.txt", occurrence: 3 },
  { kind: "asked", on: "coder 1, step 0", occurrence: 1 },
] as const)("reads the step $kind $on back", (step) => {
  expect(parseStep(formatStep(step))).toEqual(step);
});

test.for([
  { kind: "runner", step: "spawn git commit #2" },
  { kind: "everything", afterMs: 120 },
  { kind: "runner", step: "rename home/hook.json #2", life: 1 },
  { kind: "runner", afterMs: 5, life: 2 },
] as const)("reads the $kind kill back", (kill) => {
  expect(parseKill(formatKill(kill))).toEqual(kill);
});

test.for(["", "rename x", "eat x #1", "rename x #0"])("takes %j for no step", (text) => {
  expect(parseStep(text)).toBeUndefined();
});

test.for([
  "",
  "runner",
  "nobody at rename x #1",
  "runner at rename x",
  "runner after -1 ms",
  "runner at rename x #1 in command 0",
])("takes %j for no kill", (text) => {
  expect(parseKill(text)).toBeUndefined();
});
