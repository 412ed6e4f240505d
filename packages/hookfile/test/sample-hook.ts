import type { ValidationReceipt, Verdict } from "@quasar/receipts";
import type {
  AwaitedDecision,
  HookFile,
  HookState,
  RecoveryAction,
  RecoveryContext,
  StepRecord,
} from "../src/store/hook-file.ts";
import type { HookMdFacts } from "../src/hook-md/hook-md.ts";

/** The task of the ATLAS seed's sample HOOK.md, with what the sample leaves out. */
export function sampleHook(change: Partial<HookFile> = {}): HookFile {
  return {
    version: "1.0",
    taskId: "fix-null-pointer-config",
    workspaceId: "fix-null-pointer",
    createdAt: "2026-01-17T14:30:22.000Z",
    updatedAt: "2026-01-17T14:45:33.000Z",
    revision: 17,
    title: "fix null pointer in config",
    description: "fix null pointer in config\n\nIt panics when the file has no [server] table.",
    template: "bugfix",
    branch: "fix/fix-null-pointer-config",
    worktreePath: "/home/user/src/parser-fix-null-pointer",
    repoPath: "/home/user/src/parser",
    keyIndex: 0,
    state: "step_running",
    currentStep: {
      stepName: "implement",
      stepIndex: 2,
      startedAt: "2026-01-17T14:38:22.000Z",
      prompt:
        "Carry out the plan in plan.md. Add a test for each nil check.\n\nDo not change the format of the file.",
      attempt: 2,
      maxAttempts: 3,
      workingOn: "Fixing nil pointer dereference in config/parser.go",
      filesTouched: ["config/parser.go", "config/parser_test.go"],
      fileChanges: [
        { path: "config/parser.go", change: "modified", committed: false },
        { path: "config/parser_test.go", change: "modified", committed: false },
      ],
      lastOutput:
        "I've added the nil check for the Server field. Now I need to add\nsimilar checks for the Database and Cache fields. Let me continue...",
      currentCheckpointId: "ckpt-a1b2c3d4",
    },
    steps: sampleSteps(),
    counts: { events: 12, receipts: 2, checkpoints: 4 },
    history: [],
    receipts: [
      sampleReceipt({ receiptId: "rcpt-001", stepName: "analyze", keyPath: "m/44'/236'/0'/0'/0'" }),
      sampleReceipt(),
    ],
    checkpoints: [
      aCheckpoint("ckpt-11111111", "14:35:00", "step_complete", "Analysis complete"),
      aCheckpoint("ckpt-22222222", "14:38:22", "step_complete", "Plan complete"),
      aCheckpoint("ckpt-33333333", "14:40:15", "git_commit", "Initial implementation scaffold"),
      aCheckpoint(
        "ckpt-a1b2c3d4",
        "14:42:15",
        "git_commit",
        "Added nil check for config.Server field",
      ),
    ],
    extra: {},
    ...change,
  };
}

export const SAMPLE_VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ["rcpt-001", { kind: "valid", coverage: "full", output: "matches" }],
  ["rcpt-002", { kind: "valid", coverage: "full", output: "matches" }],
  ["rcpt-valid", { kind: "valid", coverage: "full", output: "modified" }],
  ["rcpt-partial", { kind: "valid", coverage: "partial", output: "unchecked" }],
  ["rcpt-invalid", { kind: "invalid", reason: "its exit code differs", output: "missing" }],
  [
    "rcpt-unverifiable",
    {
      kind: "unverifiable",
      reason: "its key is not here",
      signedBy: "0123456789abcdef",
      keyIds: ["fedcba9876543210"],
      output: "matches",
    },
  ],
]);

export const SAMPLE_FACTS: HookMdFacts = {
  dir: "/home/user/.atlas/workspaces/fix-null-pointer/tasks/fix-null-pointer-config",
  version: "1.1.35",
};

export function sampleReceipt(change: Partial<ValidationReceipt> = {}): ValidationReceipt {
  return {
    receiptId: "rcpt-002",
    stepName: "plan",
    command: "magex lint",
    exitCode: 0,
    startedAt: "2026-01-17T14:38:09.700Z",
    completedAt: "2026-01-17T14:38:22.000Z",
    duration: "12.3s",
    stdoutHash: "a1b2c3d4e5f6".padEnd(64, "0"),
    stderrHash: "e3b0c44298fc".padEnd(64, "0"),
    keyPath: "m/44'/236'/0'/0'/1'",
    keyId: "0123456789abcdef",
    sigAlg: "ed25519-slip10",
    sigVersion: 2,
    signature: "ab".repeat(64),
    ...change,
  };
}

export function sampleStep(change: Partial<StepRecord> = {}): StepRecord {
  return {
    name: "implement",
    type: "loop",
    recovery: "retry",
    maxAttempts: 3,
    status: "pending",
    attempts: 0,
    receiptIds: [],
    ...change,
  };
}

function sampleSteps(): readonly StepRecord[] {
  const done = { status: "completed", attempts: 1 } as const;
  return [
    sampleStep({
      ...done,
      name: "analyze",
      type: "ai",
      durationMs: 45_000,
      receiptIds: ["rcpt-001"],
    }),
    sampleStep({ ...done, name: "plan", type: "ai", durationMs: 32_000, receiptIds: ["rcpt-002"] }),
    sampleStep({ status: "running", attempts: 2 }),
    sampleStep({ name: "validate", type: "validation" }),
    sampleStep({ name: "git_commit", type: "git", recovery: "reconcile" }),
    sampleStep({ name: "git_push", type: "git", recovery: "reconcile" }),
    sampleStep({ name: "git_pr", type: "git", recovery: "reconcile" }),
  ];
}

function aCheckpoint(
  checkpointId: string,
  time: string,
  trigger: "step_complete" | "git_commit",
  description: string,
): HookFile["checkpoints"][number] {
  return {
    checkpointId,
    createdAt: `2026-01-17T${time}.000Z`,
    stepName: "implement",
    stepIndex: 2,
    description,
    trigger,
    gitBranch: "fix/fix-null-pointer-config",
    gitDirty: true,
  };
}

/** The sample's task with its first `done` steps completed, and the next one in `status`. */
function stepsDone(done: number, status: StepRecord["status"] = "pending"): readonly StepRecord[] {
  return sampleSteps().map((step, index) => {
    if (index < done) return { ...step, status: "completed", durationMs: 1_000 * (index + 1) ** 4 };
    return { ...step, status: index === done ? status : "pending" };
  });
}

function recovering(
  action: RecoveryAction,
  change: Partial<RecoveryContext> = {},
  position: Partial<HookFile> = {},
): HookFile {
  return sampleHook({
    ...position,
    state: "recovering",
    recovery: {
      detectedAt: "2026-01-17T14:51:00.000Z",
      crashType: "signal",
      lastKnownState: "step_running",
      wasValidating: false,
      recommendedAction: action,
      reason: "the process that drove the task is gone",
      lastCheckpointId: "ckpt-a1b2c3d4",
      ...change,
    },
  });
}

function waiting(kind: AwaitedDecision["kind"], stepIndex: number, reason: string): HookFile {
  return sampleHook({
    state: "awaiting_human",
    awaiting: { kind, reason },
    ...currently(stepIndex),
  });
}

/** Of a step that no agent works on. */
const noWork = {
  prompt: "",
  workingOn: undefined,
  filesTouched: undefined,
  fileChanges: undefined,
  lastOutput: undefined,
};

function currently(stepIndex: number): Partial<HookFile> {
  const { currentStep } = sampleHook();
  const steps = stepsDone(stepIndex, "running");
  const stepName = steps[stepIndex]?.name ?? "";
  return {
    steps,
    currentStep: currentStep && { ...currentStep, ...noWork, stepName, stepIndex, attempt: 1 },
  };
}

const at = (state: HookState, done: number, change: Partial<HookFile> = {}): HookFile =>
  sampleHook({ state, steps: stepsDone(done), currentStep: undefined, ...change });

function waitingForReview(): HookFile {
  const hook = waiting("review", 7, "Is the pull request good to merge?");
  const review = sampleStep({ name: "review", type: "human", status: "running" });
  return {
    ...hook,
    steps: [...hook.steps, review],
    currentStep: hook.currentStep && { ...hook.currentStep, stepName: "review" },
  };
}

/** One for each state, each kind of decision that is waited for, and each action of recovery. */
export const SAMPLES: Readonly<Record<string, HookFile>> = {
  initializing: at("initializing", 0, {
    checkpoints: [],
    receipts: [],
    counts: { events: 1, receipts: 0, checkpoints: 0 },
  }),
  step_pending: at("step_pending", 2),
  "step_pending-rework": at("step_pending", 2, {
    steps: stepsDone(2, "rework").map((step, index) =>
      index === 2
        ? { ...step, feedback: "The Cache field still panics.\nAdd a test for it." }
        : step,
    ),
  }),
  step_running: sampleHook(),
  "step_running-driven": sampleHook({
    owner: { pid: 4242, startTime: 1, bootId: "b", host: "laptop", runId: "run-1" },
  }),
  "step_running-git": sampleHook(currently(5)),
  step_validating: sampleHook({ state: "step_validating", ...currently(3) }),
  "awaiting_human-review": waitingForReview(),
  "awaiting_human-validation": waiting("validation", 3, "`magex test` failed with exit code 1"),
  "awaiting_human-git": waiting("git", 5, "the remote refused the push: non-fast-forward"),
  "awaiting_human-ci": waiting("ci", 6, "2 of 9 checks failed: lint, test"),
  "awaiting_human-interrupted": waiting(
    "interrupted",
    5,
    "it is not known whether the push arrived",
  ),
  "awaiting_human-attempts": waiting("attempts", 2, "all 3 attempts failed"),
  "recovering-retry_step": recovering("retry_step"),
  "recovering-retry_validation": recovering(
    "retry_validation",
    {
      wasValidating: true,
      lastKnownState: "step_validating",
      validationCmd: "magex test",
      partialOutput: "ok   config/parser 0.2s\n=== RUN TestCache\n",
    },
    currently(3),
  ),
  "recovering-skip_step": recovering(
    "skip_step",
    { reason: "the remote branch is at the commit that was to be pushed" },
    currently(5),
  ),
  "recovering-manual": recovering("manual", {
    reason: "a human step was interrupted: what came of it is not known",
  }),
  "recovering-await_human": recovering("await_human", { reason: "a person was being asked" }),
  completed: at("completed", 7),
  failed: at("failed", 3, {
    steps: stepsDone(3, "failed").map((step, index) =>
      index === 3 ? { ...step, note: "rejected: the format of the file was changed" } : step,
    ),
  }),
  abandoned: at("abandoned", 2),
};

/** Every text that HOOK.md can show of a task in progress, each of them once. */
export const EVERYTHING: HookFile = sampleHook({
  owner: { pid: 4242, startTime: 1, bootId: "b", host: "laptop", runId: "run-1" },
  state: "recovering",
  recovery: {
    detectedAt: "2026-01-17T14:51:00.000Z",
    crashType: "signal",
    lastKnownState: "step_running",
    wasValidating: true,
    validationCmd: "magex test",
    partialOutput: "ok   config/parser 0.2s",
    recommendedAction: "retry_validation",
    reason: "the process that drove the task is gone",
    lastCheckpointId: "ckpt-a1b2c3d4",
  },
  steps: [
    sampleStep({ name: "analyze", status: "completed", receiptIds: ["rcpt-invalid"] }),
    sampleStep({ name: "plan", status: "skipped", note: "there is a plan already" }),
    sampleStep({ status: "running", feedback: "The Cache field still panics." }),
  ],
  checkpoints: [aCheckpoint("ckpt-a1b2c3d4", "14:42:15", "git_commit", "Added nil check")],
  receipts: [
    sampleReceipt({ receiptId: "rcpt-invalid" }),
    sampleReceipt({ receiptId: "rcpt-unverifiable" }),
  ],
});
