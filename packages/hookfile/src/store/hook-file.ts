import type { ProcessIdentity } from "@quasar/process";
import type { ChangedFile } from "@quasar/git/history";
import type { ValidationReceipt } from "@quasar/receipts";

export const HOOK_FILE_VERSION = "1.0";

/** In the seed's order and with its strings. */
export const HOOK_STATES = [
  "initializing",
  "step_pending",
  "step_running",
  "step_validating",
  "awaiting_human",
  "recovering",
  "completed",
  "failed",
  "abandoned",
] as const;
export type HookState = (typeof HOOK_STATES)[number];

export const TERMINAL_STATES = ["completed", "failed", "abandoned"] as const;

export const CHECKPOINT_TRIGGERS = [
  "manual",
  "git_commit",
  "git_push",
  "pr_created",
  "validation",
  "step_complete",
  "interval",
] as const;
export type CheckpointTrigger = (typeof CHECKPOINT_TRIGGERS)[number];

/** The state of one task: where it is, and the newest of what led there. */
export interface HookFile {
  readonly version: typeof HOOK_FILE_VERSION;
  readonly taskId: string;
  readonly workspaceId: string;
  /** Times are RFC 3339, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Grows by one with each change; compared before the file is replaced. */
  readonly revision: number;

  readonly title: string;
  readonly description: string;
  /** The template's id: `bugfix`. */
  readonly template: string;
  readonly branch: string;
  readonly worktreePath: string;
  readonly repoPath: string;
  /** The task's number in the paths of its keys. */
  readonly keyIndex: number;

  readonly state: HookState;
  /** From `start_step` until the task continues to another step or ends. */
  readonly currentStep?: StepContext | undefined;
  /** All of the template's steps, in order. */
  readonly steps: readonly StepRecord[];
  /** Set while `awaiting_human`. */
  readonly awaiting?: AwaitedDecision | undefined;
  /** Set while `recovering`, and kept until the step is started again. */
  readonly recovery?: RecoveryContext | undefined;
  /** Who drives the task now. */
  readonly owner?: HookOwner | undefined;
  /** How the work tree stood when the step that was started last first began. */
  readonly stepBase?: StepBase | undefined;
  /** Of each step that has had one, the number of its newest run of agents, from 1. */
  readonly stepRuns?: Readonly<Record<string, number>> | undefined;
  /** Of a step the number of a run that its next attempt does not resume. */
  readonly endedRuns?: Readonly<Record<string, number>> | undefined;

  /** How many there are in the history's files; the lists below are the newest 200 of each. */
  readonly counts: {
    readonly events: number;
    readonly receipts: number;
    readonly checkpoints: number;
  };
  readonly history: readonly HookEvent[];
  readonly receipts: readonly ValidationReceipt[];
  readonly checkpoints: readonly StepCheckpoint[];
  /** Where the history ended when this was written: set by the store, absent in what is not stored. */
  readonly head?: HistoryHead | undefined;

  /** Keys that this version does not know: they survive a rewrite. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** How many of the newest events, receipts and checkpoints a hook file holds; of each. */
export const NEWEST_KEPT = 200;

/** A record of the history, and by its hash all that are before it. */
export interface HistoryHead {
  /** The number in the file's name: 3 for `history/3.jsonl`. */
  readonly file: number;
  /** Of the record within that file, from 1. */
  readonly record: number;
  /** Of the record's line, without its end: 64 hex digits. */
  readonly sha256: string;
}

/** A work tree as a step found it: what differs then is not the step's. */
export interface StepBase {
  readonly step: string;
  /** HEAD; `""`: there was no commit. */
  readonly head: string;
  /** Paths that were not committed; `undefined`: too many to note. */
  readonly dirty?: readonly string[] | undefined;
}

/** What a task is when it starts. */
export interface NewTask {
  readonly taskId: string;
  readonly workspaceId: string;
  readonly title: string;
  readonly description: string;
  readonly template: string;
  readonly branch: string;
  readonly worktreePath: string;
  readonly repoPath: string;
  readonly keyIndex: number;
  /** All of the template's steps, in order; at least one, no two of one name. */
  readonly steps: readonly NewStep[];
}

export interface NewStep {
  readonly name: string;
  readonly type: StepType;
  /** @default `retry`; `reconcile` for git, `manual` for human */
  readonly recovery?: StepRecovery | undefined;
  /** @default 1 */
  readonly maxAttempts?: number | undefined;
  /** @default for a human or git step the nearest `ai` or `loop` step before it; else the step itself */
  readonly onReject?: string | undefined;
}

export const STEP_TYPES = ["ai", "loop", "validation", "git", "human", "verify", "ci"] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** How a step that was interrupted is taken up again. */
export type StepRecovery = "retry" | "reconcile" | "manual";

/** One step of the template and what has become of it. */
export interface StepRecord {
  readonly name: string;
  readonly type: StepType;
  readonly recovery: StepRecovery;
  readonly maxAttempts: number;
  /** `rework`: was done, and goes again because a person rejected what came of it. */
  readonly status: "pending" | "running" | "completed" | "skipped" | "failed" | "rework";
  readonly attempts: number;
  readonly startedAt?: string | undefined;
  readonly completedAt?: string | undefined;
  readonly durationMs?: number | undefined;
  readonly receiptIds: readonly string[];
  /** Why it was skipped and what shows that its effect is there, or why it failed. */
  readonly note?: string | undefined;
  /** What a person said when it was rejected: goes into the next attempt's prompt. */
  readonly feedback?: string | undefined;
  /** Where a reject goes: the name of an earlier step, or its own. */
  readonly onReject?: string | undefined;
}

/** The seed's `StepContext`. */
export interface StepContext {
  readonly stepName: string;
  /** From 0. */
  readonly stepIndex: number;
  readonly startedAt: string;
  /** Over 16 KiB an artifact, and here its beginning. */
  readonly prompt: string;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly workingOn?: string | undefined;
  /** Relative to the work tree. */
  readonly filesTouched?: readonly string[] | undefined;
  /** What became of them, as of the last look. */
  readonly fileChanges?: readonly FileChange[] | undefined;
  /** The last 500 characters. */
  readonly lastOutput?: string | undefined;
  readonly currentCheckpointId?: string | undefined;
}

/** What became of a file within the step; a renamed file is two. */
export interface FileChange extends ChangedFile {
  /** Whether HEAD has it as it is in the work tree. */
  readonly committed: boolean;
}

export interface AwaitedDecision {
  readonly kind: "review" | "validation" | "git" | "ci" | "interrupted" | "attempts";
  /** What is asked, for a person. */
  readonly reason: string;
}

/** An entry that marks progress within a step. */
export interface StepCheckpoint {
  readonly checkpointId: string;
  readonly createdAt: string;
  /** Empty where no step is current. */
  readonly stepName: string;
  /** -1 where no step is current. */
  readonly stepIndex: number;
  readonly description: string;
  readonly trigger: CheckpointTrigger;
  readonly gitBranch: string;
  readonly gitCommit?: string | undefined;
  readonly gitDirty: boolean;
  /** Files in the task's artifacts. */
  readonly artifacts?: readonly string[] | undefined;
  readonly filesSnapshot?: readonly FileSnapshot[] | undefined;
}

export interface FileSnapshot {
  readonly path: string;
  readonly size: number;
  readonly modTime: string;
  /** First 16 hex digits. */
  readonly sha256: string;
  readonly exists: boolean;
}

/** One entry of the history, which only grows. */
export interface HookEvent {
  readonly timestamp: string;
  /** `""` before the first. */
  readonly fromState: HookState | "";
  readonly toState: HookState;
  readonly trigger: string;
  readonly stepName?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export type RecoveryAction =
  | "retry_step"
  | "retry_validation"
  | "skip_step"
  | "manual"
  | "await_human";

export interface RecoveryContext {
  readonly detectedAt: string;
  readonly crashType: "timeout" | "signal" | "unknown";
  readonly lastKnownState: HookState;
  readonly wasValidating: boolean;
  readonly validationCmd?: string | undefined;
  readonly partialOutput?: string | undefined;
  readonly recommendedAction: RecoveryAction;
  readonly reason: string;
  readonly lastCheckpointId?: string | undefined;
}

/** The process that drives the task, and the run that it drives. */
export interface HookOwner extends ProcessIdentity {
  readonly runId: string;
}
