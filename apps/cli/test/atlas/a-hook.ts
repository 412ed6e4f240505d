import type { ValidationReceipt } from "@quasar/receipts";
import { type HookFile, type HookInput, transition } from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import type { TaskConfig, TaskRecord } from "@quasar/tasks";

/** When the task of these tests was begun. */
export const BEGAN = new Date("2026-01-17T14:00:00.000Z");

/** So many minutes after it. */
export const after = (minutes: number): Date => new Date(BEGAN.getTime() + minutes * 60_000);

/** A task of three steps that has gone through these events, a minute each. */
export function aHook(...inputs: readonly HookInput[]): HookFile {
  const task = {
    taskId: "task-1",
    workspaceId: "fix-config",
    title: "fix null pointer in config",
    description: "fix null pointer in config",
    template: "bugfix",
    branch: "fix/fix-config",
    worktreePath: "/src/repo-fix-config",
    repoPath: "/src/repo",
    keyIndex: 0,
    steps: [
      { name: "analyze", type: "ai", maxAttempts: 3 },
      { name: "implement", type: "loop", maxAttempts: 3 },
      { name: "review", type: "human", maxAttempts: 1 },
    ],
  } as const;
  const { hook } = transition(undefined, [{ type: "init", task }], { now: BEGAN });
  return inputs.reduce(
    (now, input, n) => transition(now, [input], { now: after(n + 1) }).hook,
    hook,
  );
}

export const SET_UP: HookInput = { type: "setup_complete" };
export const START: HookInput = { type: "start_step", prompt: "do it" };
export const DONE: HookInput = { type: "step_complete" };

export function checkpoint(description: string, minute: number): HookInput {
  return {
    type: "checkpoint",
    checkpoint: {
      checkpointId: "ckpt-a1a1a1a1a1a1a1a1",
      createdAt: after(minute).toISOString(),
      stepName: "implement",
      stepIndex: 1,
      description,
      trigger: "manual",
      gitBranch: "fix/fix-config",
      gitDirty: false,
    },
  };
}

export const A_CONFIG: TaskConfig = {
  agent: "claude",
  model: "",
  reviewer: "claude",
  reviewerModel: "",
  maxBudgetUsd: 5,
  maxCycles: 3,
  validation: { commands: [], source: "none", timeoutMs: 1000, maxFixes: 0 },
  checkpoints: { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 },
  notify: "",
  gitHooks: "auto",
  settings: {},
};

/** The part of a task's record that is shown. */
export const A_TASK = {
  config: A_CONFIG,
  stepResults: [] as TaskRecord["stepResults"],
} as TaskRecord;

export const A_RECEIPT: ValidationReceipt = {
  receiptId: "rcpt-001",
  stepName: "analyze",
  command: "magex lint",
  exitCode: 0,
  startedAt: "2026-01-17T14:42:15.123Z",
  completedAt: "2026-01-17T14:42:27.423Z",
  duration: "12.3s",
  stdoutHash: "a".repeat(64),
  stderrHash: "b".repeat(64),
  keyPath: "m/44'/236'/0'/0'/0'",
  keyId: "0123456789abcdef",
  sigAlg: "ed25519-slip10",
  sigVersion: 2,
  signature: "c".repeat(128),
};
