import { expect, test } from "vitest";
import { INTERRUPTED } from "../ending.ts";
import { failureReason, wasInterrupted } from "./failure-reason.ts";

test.for([
  [INTERRUPTED.message, true, "it was interrupted"],
  ["interrupted: its agent was killed", true, "its agent was killed"],
  ["coder: Claude Code ended without an answer.", false, "Claude Code ended without an answer"],
  ["no net", false, "no net"],
] as const)(
  "of a turn that failed (%s) it is told whether it was stopped, and why it is taken again",
  ([failure, isStop, reason]) => {
    expect(wasInterrupted(failure)).toBe(isStop);
    expect(failureReason(failure, "coder")).toBe(reason);
  },
);
