import { createMemoryCheckpointStore, type CheckpointStore } from "@quasar/checkpoint";
import { describe, expect, test } from "vitest";
import { aCheckpoint } from "../test/fixtures.ts";
import { createCheckpointHook } from "./checkpoint-hook.ts";
import { stateFromCheckpoint } from "./convert.ts";
import type { Hook, LoopEvent, LoopEventData } from "./event.ts";

const SHA = "a".repeat(40);
const STATE = stateFromCheckpoint(aCheckpoint({ cycle: 2 }));

function event(data: LoopEventData): LoopEvent {
  return { ...data, taskId: "t-1", headSha: "b".repeat(40), state: () => STATE };
}

const WRITES: readonly LoopEventData[] = [
  { type: "review_complete", cycle: 2, approved: false, findings: [] },
  { type: "task_success", cycle: 2, report: undefined },
  { type: "task_failed", cycle: 2, reason: "budget", message: "" },
];
const SILENT: readonly LoopEventData[] = [
  { type: "cycle_start", cycle: 2 },
  { type: "agent_start", cycle: 2, role: "coder", turnId: "run.1", attempt: 1 },
  { type: "agent_event", cycle: 2, role: "coder", event: { type: "text", text: "hi" } },
  { type: "agent_done", cycle: 2, role: "coder", turnId: "run.1", costUsd: 1, durationMs: 1 },
  { type: "committed", cycle: 2, turnId: "run.1", sha: SHA },
  { type: "check_done", cycle: 2, check: "lint", name: "x", passed: true, output: "" },
  { type: "refactored", cycle: 2 },
  { type: "struggle_detected", cycle: 2, message: "" },
  { type: "resumed", cycle: 2, message: "resumed from checkpoint", details: [] },
  { type: "warning", cycle: 2, message: "" },
];

describe("seed 2: Implement atomic checkpoint writer with Hook integration", () => {
  test("the checkpoint hook implements the loop's hook interface", () => {
    const store = createMemoryCheckpointStore();
    const hook: Hook = createCheckpointHook({ store, gitSha: async () => SHA });
    expect(hook.onEvent).toBeTypeOf("function");
  });

  test.for(WRITES)("the hook writes a checkpoint on $type", async (data) => {
    const store = createMemoryCheckpointStore();
    const now = (): Date => new Date("2026-01-02T03:04:05.678Z");
    const names = { phaseId: "api", nebulaName: "neb" };
    await createCheckpointHook({ store, ...names, gitSha: async () => SHA, now }).onEvent(
      event(data),
    );
    const loaded = await store.load("api");
    expect(loaded?.checkpoint).toEqual(
      aCheckpoint({ ...names, cycle: 2, gitSha: SHA, revision: 1 }),
    );
  });

  test("HEAD is as the loop last saw it, where nobody is to ask for it", async () => {
    const store = createMemoryCheckpointStore();
    await createCheckpointHook({ store }).onEvent(
      event({ type: "task_success", cycle: 2, report: undefined }),
    );
    expect((await store.load())?.checkpoint.gitSha).toBe("b".repeat(40));
  });

  test.for(SILENT)("the hook does not write on $type", async (data) => {
    const store = createMemoryCheckpointStore();
    await createCheckpointHook({ store, gitSha: async () => SHA }).onEvent(event(data));
    expect(await store.load()).toBeUndefined();
  });

  test("an error of a write is reported and not thrown", async () => {
    const errors: unknown[] = [];
    const full = new Error("disk full");
    const store: CheckpointStore = {
      ...createMemoryCheckpointStore(),
      save: () => Promise.reject(full),
    };
    const hook = createCheckpointHook({
      store,
      gitSha: async () => SHA,
      onError: (error) => void errors.push(error),
    });
    await hook.onEvent(event({ type: "task_success", cycle: 2, report: undefined }));
    expect(errors).toEqual([full]);
  });

  test("an error of git is told as one of the write", async () => {
    const errors: unknown[] = [];
    const store = createMemoryCheckpointStore();
    const hook = createCheckpointHook({
      store,
      gitSha: () => Promise.reject(new Error("no git")),
      onError: (error) => void errors.push(error),
    });
    await hook.onEvent(event({ type: "task_success", cycle: 2, report: undefined }));
    expect(errors).toHaveLength(1);
    expect(await store.load()).toBeUndefined();
  });
});
