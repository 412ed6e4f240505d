import { expect, test } from "vitest";
import { type HookFile, type HookInput, type NewTask, transition } from "@quasar/hookfile";
import { aRecord, aResult } from "../test/a-record.ts";
import { syncTask, withResult } from "./sync-task.ts";
import { encodeTask } from "./task-codec.ts";
import type { TaskRecord } from "./task-record.ts";

const now = new Date("2026-11-22T11:00:00.000Z");
const TASK: NewTask = {
  taskId: "task-1",
  workspaceId: "x",
  title: "t",
  description: "d",
  template: "bugfix",
  branch: "fix/x",
  worktreePath: "/src/app-x",
  repoPath: "/src/app",
  keyIndex: 0,
  steps: [
    { name: "implement", type: "loop", maxAttempts: 2 },
    { name: "validate", type: "validation" },
    { name: "review", type: "human" },
  ],
};

function after(...inputs: readonly HookInput[]): HookFile {
  return transition(undefined, [{ type: "init", task: TASK }, ...inputs], { now }).hook;
}

const SET_UP = { type: "setup_complete" } as const;
const START = { type: "start_step" } as const;
const DONE = { type: "step_complete" } as const;
const SKIP = { type: "skip_step", reason: "r" } as const;
const asks = (
  kind: "review" | "git" | "ci" | "attempts" | "interrupted" | "validation",
): HookInput => ({
  type: "human_required",
  kind,
  reason: "why",
});
const CRASH: HookInput = {
  type: "crash_detected",
  recovery: {
    detectedAt: now.toISOString(),
    crashType: "signal",
    lastKnownState: "step_running",
    wasValidating: false,
    recommendedAction: "retry_step",
    reason: "r",
  },
};
const OUTPUT = { type: "step_output" } as const;
const AT_REVIEW = [SET_UP, START, DONE, SKIP, START, asks("review")];

const pending = aRecord({ status: "pending", transitions: [], stepResults: [] });

test.for([
  ["initializing", [], "pending", 0],
  ["step_pending, nothing done", [SET_UP], "pending", 0],
  ["step_pending, something done", [SET_UP, START, DONE], "running", 1],
  ["step_pending, something skipped", [SET_UP, SKIP], "running", 1],
  ["step_running", [SET_UP, START], "running", 0],
  ["recovering", [SET_UP, START, CRASH], "running", 0],
  ["step_validating", [SET_UP, SKIP, START, OUTPUT], "validating", 1],
  ["awaiting a review", AT_REVIEW, "awaiting_approval", 2],
  ["awaiting: validation", [SET_UP, START, asks("validation")], "validation_failed", 0],
  ["awaiting: attempts", [SET_UP, START, asks("attempts")], "validation_failed", 0],
  ["awaiting: git", [SET_UP, START, asks("git")], "gh_failed", 0],
  ["awaiting: ci", [SET_UP, START, asks("ci")], "ci_failed", 0],
  ["awaiting: interrupted", [SET_UP, START, asks("interrupted")], "interrupted", 0],
  ["completed", [...AT_REVIEW, { type: "human_approve" }], "completed", 3],
  ["failed", [SET_UP, { type: "fail", reason: "r" }], "failed", 0],
  [
    "failed by a person's word",
    [...AT_REVIEW, { type: "fail", reason: "no", details: { kind: "rejected" } }],
    "rejected",
    2,
  ],
  ["abandoned", [SET_UP, START, { type: "abandon" }], "abandoned", 0],
] as const)("%s is %s", ([, inputs, status, currentStep]) => {
  const hook = after(...(inputs as readonly HookInput[]));
  const synced = syncTask(pending, hook);
  expect(synced).toMatchObject({ status, currentStep, updatedAt: hook.updatedAt });
  expect(syncTask(synced, hook), "twice is once").toBe(synced);
});

test("says of a timeout of ci that it was one", () => {
  const hook = after(SET_UP, START, asks("ci"));
  const result = aResult({ stepIndex: 0, status: "failed", metadata: { timed_out: true } });
  expect(syncTask(withResult(pending, result), hook).status).toBe("ci_timeout");
});

test("takes the steps from the hook file, whatever the record says of them", () => {
  const hook = after(...AT_REVIEW);
  const at = now.toISOString();
  expect(syncTask(pending, hook).steps).toEqual([
    {
      name: "implement",
      type: "loop",
      status: "success",
      startedAt: at,
      completedAt: at,
      attempts: 1,
    },
    { name: "validate", type: "validation", status: "skipped", attempts: 0 },
    { name: "review", type: "human", status: "awaiting_approval", startedAt: at, attempts: 1 },
  ]);
  const failed = after(SET_UP, START, asks("attempts"));
  expect(syncTask(pending, failed).steps[0]?.status).toBe("failed");
});

test("records each change of the status with its reason, and keeps what was asked for", () => {
  let record: TaskRecord = pending;
  for (const inputs of [
    [SET_UP, START],
    [SET_UP, START, asks("git")],
  ]) {
    record = syncTask(record, after(...inputs));
  }
  const timestamp = now.toISOString();
  expect(record.transitions).toEqual([
    { fromStatus: "pending", toStatus: "running", timestamp, reason: "start_step" },
    { fromStatus: "running", toStatus: "gh_failed", timestamp, reason: "human_required: why" },
  ]);
  const { description, template, config, metadata, extra } = record;
  expect({ description, template, config, metadata, extra }).toEqual({
    description: pending.description,
    template: pending.template,
    config: pending.config,
    metadata: pending.metadata,
    extra: pending.extra,
  });
});

test("is repaired where a crash came between the hook file and the record", () => {
  const hook = after(...AT_REVIEW, { type: "human_approve" });
  const behind = syncTask(pending, after(SET_UP, START));
  expect(syncTask(behind, hook)).toMatchObject({ status: "completed", currentStep: 3 });
});

test("has one result of each attempt, the last one told", () => {
  const first = aResult({ status: "running" });
  const again = aResult({ status: "success" });
  const next = aResult({ attempt: 2 });
  let record = pending;
  for (const result of [first, again, next]) record = withResult(record, result);
  expect(record.stepResults).toEqual([again, next]);
});

test("can be written whatever a person has said", () => {
  const synced = syncTask(aRecord(), after({ type: "abandon", reason: "long ".repeat(50_000) }));
  expect(synced.transitions.at(-1)?.reason).toMatch(/^abandon: long /);
  expect(() => encodeTask(synced)).not.toThrow();
});
