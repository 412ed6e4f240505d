import { decisionsOf } from "@quasar/tasks/operations";
import { TasksError } from "@quasar/tasks";
import { expect, test } from "vitest";
import { aHook, after, SET_UP, START } from "../../test/atlas/a-hook.ts";
import { translate } from "./translate.ts";

const KNOWN = ["atlas status", "name another task: atlas list"];

test.for([
  ["retry_step", ["atlas resume", "atlas retry", 'atlas skip --reason "why"']],
  ["manual", ["atlas retry", 'atlas skip --reason "why"']],
] as const)("what a crash needs (%s) is what a refusal offers", ([recommendedAction, ways]) => {
  const crash = {
    type: "crash_detected",
    recovery: {
      detectedAt: after(3).toISOString(),
      crashType: "signal",
      lastKnownState: "step_running",
      wasValidating: false,
      recommendedAction,
      reason: "it was killed",
    },
  } as const;
  const decisions = decisionsOf(aHook(SET_UP, START, crash));
  const { code, next } = translate(
    new TasksError("ERR_NOT_AWAITED", "there is nothing to approve", { decisions }),
  );
  expect(code).toBe("ERR_NOT_AWAITED");
  expect(next).toEqual([...ways, ...KNOWN]);
});
