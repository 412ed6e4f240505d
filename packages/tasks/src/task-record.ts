import type { AutoCheckpointConfig } from "@quasar/hookfile/checkpoints";
import type { TemplateStep } from "./templates/template.ts";

/** `task.json`: what was asked for, fixed when the task started, and what came of it. */
export interface TaskRecord {
  readonly id: string;
  readonly workspaceId: string;
  /** The template's id: `bugfix`. */
  readonly templateId: string;
  readonly description: string;
  /** Derived from the hook file, which is right where they differ. */
  readonly status: TaskStatus;
  /** Index of the step that is current or next; the number of steps when none is left. */
  readonly currentStep: number;
  readonly steps: readonly TaskStep[];
  readonly stepResults: readonly StepResult[];
  readonly transitions: readonly TaskTransition[];
  /** RFC 3339. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly config: TaskConfig;
  /** The template's steps as they were at the start, with the variables filled in. */
  readonly template: readonly TemplateStep[];
  readonly metadata: TaskMetadata;
  /** Keys that this version does not know: they survive a rewrite. */
  readonly extra: Readonly<Record<string, unknown>>;
}

export const TASK_STATUSES = [
  "pending",
  "running",
  "validating",
  "validation_failed",
  "gh_failed",
  "ci_failed",
  "ci_timeout",
  "awaiting_approval",
  "interrupted",
  "completed",
  "rejected",
  "failed",
  "abandoned",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const STEP_STATUSES = [
  "pending",
  "running",
  "success",
  "failed",
  "awaiting_approval",
  "no_changes",
  "skipped",
] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export interface TaskStep {
  readonly name: string;
  readonly type: TemplateStep["type"];
  readonly status: StepStatus;
  readonly startedAt?: string | undefined;
  readonly completedAt?: string | undefined;
  readonly attempts: number;
}

/** What came of one attempt at a step. */
export interface StepResult {
  readonly stepIndex: number;
  readonly stepName: string;
  readonly attempt: number;
  readonly status: StepStatus;
  readonly startedAt: string;
  readonly completedAt: string;
  readonly durationMs: number;
  /** Its first 4,000 characters; all of it is in the artifact. */
  readonly output: string;
  readonly filesChanged: readonly string[];
  /** Relative to the task's artifacts. */
  readonly artifactPath?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly numTurns?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface TaskTransition {
  readonly fromStatus: TaskStatus;
  readonly toStatus: TaskStatus;
  readonly timestamp: string;
  readonly reason: string;
}

export interface TaskMetadata {
  readonly branch: string;
  readonly worktreeDir: string;
  /** Whether it works in a work tree of the user's, on the branch that was checked out: neither is ever removed. */
  readonly isHere: boolean;
  /** A work tree of the repository that lasts: the main one, where there is one. */
  readonly repoPath: string;
  /** The commit that the branch began at. */
  readonly baseSha: string;
  /** The branch that a pull request goes to, without `refs/heads/`; `""` where none is known. */
  readonly baseBranch: string;
  /** Another task that this one continues from. */
  readonly fromTask?: string | undefined;
  /** What that one was about and how far it came, for prompts. */
  readonly context?: string | undefined;
}

/** How a task is worked on: fixed at its start, so that a crash changes nothing about it. */
export interface TaskConfig {
  /** Who works and who reviews, in the words of whoever started it: for people, and to find them again. */
  readonly agent: string;
  readonly model: string;
  readonly reviewer: string;
  readonly reviewerModel: string;
  /** US dollars for the whole task over all its crashes; 0 is no limit. */
  readonly maxBudgetUsd: number;
  /** Of each loop step. */
  readonly maxCycles: number;
  readonly validation: ValidationConfig;
  readonly checkpoints: AutoCheckpointConfig;
  /** A shell command that is run when a person is needed and at the end; `""`: none. */
  readonly notify: string;
  readonly gitHooks: "auto" | "print" | "off";
  /** Settings of the program that started it, opaque here. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ValidationConfig {
  /** In order. None is an outcome of its own, never a pass. */
  readonly commands: readonly ValidationCommand[];
  /** Where they come from. */
  readonly source: "config" | "package.json" | "none";
  /** Milliseconds for each command. */
  readonly timeoutMs: number;
  /** How often an agent may fix what fails before a person is asked; 0: never. */
  readonly maxFixes: number;
}

export interface ValidationCommand {
  /** `lint` */
  readonly name: string;
  /** For `sh -c`, in the work tree's root. */
  readonly command: string;
}
