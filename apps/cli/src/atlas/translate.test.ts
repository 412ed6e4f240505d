import { GitError } from "@quasar/git";
import { LoopError } from "@quasar/loop";
import { RunsError } from "@quasar/runs";
import { decisionsOf } from "@quasar/tasks/operations";
import { TasksError } from "@quasar/tasks";
import { expect, test } from "vitest";
import { aHook, after, SET_UP, START } from "../../test/atlas/a-hook.ts";
import { translate } from "./translate.ts";

const KNOWN = ["atlas status", "name another task: atlas list"];

test("what is of a run by its id, or of another command, is left out", () => {
  const next = [
    { do: "resume", runId: "20261126-134500-12e7db" },
    { do: "snapshots" },
    { do: "show" },
    { shell: "git status" },
  ] as const;
  const refused = new RunsError("ERR_LOCKED", "somebody works here", { next });
  expect(translate(refused).next).toEqual(["atlas status", "git status"]);
  const failed = new GitError("ERR_COMMIT_FAILED", "no commit");
  expect(translate(failed).next).toEqual(["git status", "atlas resume"]);
  const invalid = new LoopError("ERR_INVALID_OPTIONS", "maxCycles is 0");
  expect(translate(invalid).next).toEqual(["atlas start --help"]);
});

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
