import type { Change } from "@quasar/nebula/port";
import { expect, test } from "vitest";
import { blockedBy } from "./blocked.ts";

type Event = Change["events"][number];

const at = "2026-11-20T23:04:05.000Z";
const STATE = { branch: "nebula/demo" };
const ends = (end: "budget" | "waiting" | "error", message = ""): Event => ({
  ...{ at, type: "engine_ends", end, message },
});
const begins: Event = { at, type: "engine_begins" };
const red: Event = {
  ...{ at, type: "base_verified", tip: "1".repeat(40), outcome: "failed" },
  findings: ["[verify] false exit 1"],
};
const landed: Event = {
  ...{ at, type: "phase_landed", phase: "a", candidate: "2".repeat(40), verified: true },
};

test.for<readonly [what: string, events: readonly Event[], words: string | undefined]>([
  ["nothing has happened", [], undefined],
  [
    "a red branch",
    [begins, red],
    "nebula/demo fails by itself, so nothing begins: [verify] false exit 1",
  ],
  ["a red branch that was put right", [red, landed], undefined],
  ["a limit", [begins, ends("budget")], "stopped: a limit is too small"],
  ["an error", [begins, ends("error", "ENOSPC")], "its engine failed: ENOSPC"],
  ["an error before another engine", [ends("error", "ENOSPC"), begins], undefined],
  ["a wait for a person", [begins, ends("waiting")], undefined],
])("what is in the way of a fleet's phases: %s", ([, events, words]) => {
  expect(blockedBy(events, STATE, false)?.words).toBe(words);
});

test("where a machine has the lane its end before says nothing", () => {
  expect(blockedBy([ends("budget")], STATE, true)).toBeUndefined();
  expect(blockedBy([red], STATE, true)?.isRed).toBe(true);
});
