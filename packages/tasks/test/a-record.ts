import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import type { StepResult, TaskRecord } from "../src/task-record.ts";

export function aResult(change: Partial<StepResult> = {}): StepResult {
  return {
    stepIndex: 0,
    stepName: "analyze",
    attempt: 1,
    status: "success",
    startedAt: "2026-11-22T10:00:00.000Z",
    completedAt: "2026-11-22T10:00:45.000Z",
    durationMs: 45_000,
    output: "the cause is in parseConfig",
    filesChanged: ["src/a.ts"],
    artifactPath: "analyze/1.md",
    sessionId: "s-1",
    numTurns: 7,
    costUsd: 0.25,
    metadata: {},
    ...change,
  };
}

export function aRecord(change: Partial<TaskRecord> = {}): TaskRecord {
  return {
    id: "task-1",
    workspaceId: "x",
    templateId: "bugfix",
    description: "fix null pointer in parseConfig",
    status: "running",
    currentStep: 1,
    steps: [
      {
        name: "analyze",
        type: "ai",
        status: "success",
        startedAt: "2026-11-22T10:00:00.000Z",
        completedAt: "2026-11-22T10:00:45.000Z",
        attempts: 1,
      },
      { name: "implement", type: "loop", status: "running", attempts: 2 },
    ],
    stepResults: [aResult()],
    transitions: [
      {
        fromStatus: "pending",
        toStatus: "running",
        timestamp: "2026-11-22T10:00:00.000Z",
        reason: "start_step",
      },
    ],
    createdAt: "2026-11-22T09:59:00.000Z",
    updatedAt: "2026-11-22T10:00:45.000Z",
    config: {
      agent: "claude",
      model: "m",
      reviewer: "codex",
      reviewerModel: "r",
      maxBudgetUsd: 5,
      maxCycles: 3,
      validation: {
        commands: [{ name: "test", command: "npm test" }],
        source: "package.json",
        timeoutMs: 60_000,
        maxFixes: 3,
      },
      checkpoints: DEFAULT_AUTO_CHECKPOINTS,
      notify: "",
      gitHooks: "auto",
      settings: {},
    },
    template: [
      {
        name: "analyze",
        type: "ai",
        description: "Find the cause",
        prompt: "Find it",
        access: "read",
        maxAttempts: 3,
        recovery: "retry",
      },
      {
        name: "implement",
        type: "loop",
        description: "Fix it",
        prompt: "Fix it",
        maxAttempts: 3,
        timeoutMs: 60_000,
        recovery: "retry",
        onReject: "analyze",
      },
    ],
    metadata: {
      branch: "fix/x",
      worktreeDir: "/src/app-x",
      isHere: false,
      repoPath: "/src/app",
      baseSha: "a".repeat(40),
      baseBranch: "main",
    },
    extra: {},
    ...change,
  };
}
