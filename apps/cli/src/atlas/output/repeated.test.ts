import type { TaskEvent } from "@quasar/tasks";
import { expect, test } from "vitest";
import { createRepeated } from "./repeated.ts";

test("a warning is repeated if a step or its loop gave it before, anything else never is", () => {
  const isRepeated = createRepeated();
  const ofLoop = (message: string): TaskEvent => ({
    type: "loop",
    step: "implement",
    spentUsd: 0,
    event: { type: "warning", cycle: 1, message },
  });
  const stopped: TaskEvent = { type: "task_ended", state: "completed" };
  const events = [
    ofLoop("a"),
    ofLoop("b"),
    ofLoop("a"),
    { type: "warning", message: "b" } as const,
  ];
  expect([...events, stopped, stopped].map(isRepeated)).toEqual([
    ...[false, false, true, true],
    ...[false, false],
  ]);
});
