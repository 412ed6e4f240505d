import type { ValidationReceipt } from "@quasar/receipts";
import type { NewTask, StepCheckpoint } from "../src/store/hook-file.ts";

/** A task of four steps: one that writes, one that validates, one that pushes, one for a person. */
export function aTask(change: Partial<NewTask> = {}): NewTask {
  return {
    taskId: "task-550e8400",
    workspaceId: "fix-null-pointer",
    title: "Fix null pointer",
    description: "parseConfig throws where there is no file",
    template: "bugfix",
    branch: "fix/null-pointer",
    worktreePath: "/src/repo-fix-null-pointer",
    repoPath: "/src/repo",
    keyIndex: 0,
    steps: [
      { name: "implement", type: "ai", maxAttempts: 3 },
      { name: "validate", type: "validation" },
      { name: "git_push", type: "git" },
      { name: "review", type: "human" },
    ],
    ...change,
  };
}

export function aCheckpoint(change: Partial<StepCheckpoint> = {}): StepCheckpoint {
  return {
    checkpointId: "ckpt-1",
    createdAt: "2026-01-02T03:04:05.678Z",
    stepName: "implement",
    stepIndex: 0,
    description: "half of it",
    trigger: "manual",
    gitBranch: "fix/null-pointer",
    gitDirty: true,
    ...change,
  };
}

export function aReceipt(change: Partial<ValidationReceipt> = {}): ValidationReceipt {
  return {
    receiptId: "rcpt-1",
    stepName: "validate",
    command: "pnpm test",
    exitCode: 0,
    startedAt: "2026-01-02T03:04:05.678Z",
    completedAt: "2026-01-02T03:04:17.978Z",
    duration: "12.3s",
    stdoutHash: "a".repeat(64),
    stderrHash: "b".repeat(64),
    keyPath: "m/44'/236'/0'/0'/0'",
    keyId: "0123456789abcdef",
    sigAlg: "ed25519-slip10",
    sigVersion: 2,
    signature: "c".repeat(128),
    ...change,
  };
}
