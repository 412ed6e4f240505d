import type { TaskResult } from "@quasar/loop";
import { expect, test } from "vitest";
import { outcomeOf } from "./agent-outcome.ts";

const BUDGET = { kind: "stopped", why: "budget", message: "" } as const;

test.for([
  ["is tried again by its step where the run does not retry by itself", false, true],
  ["goes to a person where the run has retried it by itself", true, false],
] as const)("an overloaded model %s", ([, isRetried, retryable]) => {
  const agentFailure = { kind: "overloaded", message: "busy", retryable: true };
  const result = { outcome: "agent", message: "busy", agentFailure } as TaskResult;
  expect(outcomeOf({ result }, BUDGET, isRetried)).toMatchObject({
    kind: "failed",
    awaiting: "attempts",
    retryable,
  });
});
