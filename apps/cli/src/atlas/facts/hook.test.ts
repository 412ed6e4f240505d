import { expect, test } from "vitest";
import { A_RECEIPT, aHook, checkpoint, SET_UP, START } from "../../../test/atlas/a-hook.ts";
import { hookFacts } from "./hook.ts";

const time = "2026-01-17T14:00:00.000Z";
const hook = {
  ...aHook(SET_UP, START, checkpoint("halfway", 3)),
  receipts: [A_RECEIPT],
  recovery: {
    detectedAt: time,
    crashType: "signal",
    lastKnownState: "step_validating",
    wasValidating: true,
    validationCmd: "make",
    recommendedAction: "retry_step",
    reason: "it was killed",
  },
  owner: { pid: 7, startTime: 9, bootId: "b", host: "h", runId: "r" },
  stepBase: { step: "analyze", head: "a", dirty: ["work.txt"] },
  head: { file: 1, record: 2, sha256: "d" },
  stepRuns: { root: 1, size: 2 },
  extra: { words: "of a later version" },
} as const;

test("prints a hook file under the names of --json", () => {
  expect(hookFacts(hook)).toMatchObject({
    workTree: "/src/repo-fix-config",
    currentStep: { step: "analyze", index: 0 },
    steps: [{ onCrash: "retry" }, { onCrash: "retry" }, { onCrash: "manual" }],
    recovery: { validationCommand: "make", reason: "it was killed" },
    owner: { pid: 7, startTicks: 9, bootId: "b", host: "h", runId: "r" },
    counts: { eventCount: 4, receiptCount: 0, checkpointCount: 1 },
    history: [{ time }, {}, { step: "analyze", data: { attempt: 1 } }, {}],
    receipts: [{ step: "analyze", durationText: "12.3s", stdoutSha256: A_RECEIPT.stdoutHash }],
    checkpoints: [{ step: "implement", index: 1, branch: "fix/fix-config", isDirty: false }],
    head: { fileNumber: 1, record: 2, sha256: "d" },
    stepBase: { headSha: "a", step: "analyze", uncommitted: ["work.txt"] },
  });
});

test("prints no name of the file's own", () => {
  const printed = JSON.stringify(hookFacts(hook));
  for (const name of [
    ...["worktreePath", "stepName", "stepIndex", "timestamp", "validationCmd", "startTime"],
    ...["gitBranch", "gitDirty", "duration", "stdoutHash", "stderrHash", "dirty", "file"],
  ]) {
    expect(printed).not.toContain(`"${name}":`);
  }
});

test("leaves names alone that a person or a later version has given", () => {
  const { stepRuns, extra } = hookFacts(hook);
  expect({ stepRuns, extra }).toEqual({ stepRuns: hook.stepRuns, extra: hook.extra });
});
