import type { HookFile, HookState, StepCheckpoint, StepType } from "@quasar/hookfile";
import type { LoopEventData } from "@quasar/loop";
import type { Waiting } from "@quasar/runs/tree";

/** What a person is awaited for. */
export type AwaitedKind = NonNullable<HookFile["awaiting"]>["kind"];

/** What happens to a task while it is driven: for progress on a terminal, `--json`, and task.log. */
export type TaskEvent =
  | {
      readonly type: "task_started";
      readonly taskId: string;
      readonly workspaceId: string;
      readonly template: string;
      readonly branch: string;
      readonly worktree: string;
      readonly steps: number;
    }
  /** What a crash had left, and what is done about it. */
  | {
      readonly type: "recovered";
      readonly step: string;
      readonly lastState: HookState;
      readonly action: string;
      readonly reason: string;
    }
  | {
      readonly type: "step_started";
      readonly step: string;
      readonly stepType: StepType;
      /** From 0. */
      readonly index: number;
      /** Counts its starts, from 1; those after a crash or a stop included. */
      readonly attempt: number;
      readonly maxAttempts: number;
      /** How many of `maxAttempts` failed. @default as many as there were starts before */
      readonly failedAttempts?: number | undefined;
    }
  | {
      readonly type: "step_skipped";
      readonly step: string;
      readonly index: number;
      readonly reason: string;
      readonly evidence: string;
    }
  | {
      readonly type: "step_done";
      readonly step: string;
      readonly index: number;
      readonly durationMs: number;
      readonly summary: string;
    }
  | {
      readonly type: "step_failed";
      readonly step: string;
      readonly index: number;
      readonly reason: string;
      readonly attempt: number;
      /** Whether it is tried again at once. */
      readonly goesOn: boolean;
    }
  /** What the coder-reviewer loop tells, in a step. */
  | {
      readonly type: "loop";
      readonly step: string;
      readonly event: LoopEventData;
      readonly spentUsd: number;
    }
  /** The agents of a step wait for a usage limit to be lifted. */
  | (Waiting & { readonly step: string })
  | { readonly type: "command_started"; readonly step: string; readonly command: string }
  | {
      readonly type: "command_done";
      readonly step: string;
      readonly command: string;
      readonly exitCode: number;
      readonly durationMs: number;
      readonly receiptId: string;
    }
  /** A receipt proves the command for the very tree that is there. */
  | {
      readonly type: "command_reused";
      readonly step: string;
      readonly command: string;
      readonly receiptId: string;
    }
  | { readonly type: "checkpoint"; readonly checkpoint: StepCheckpoint }
  | {
      readonly type: "awaiting";
      readonly step: string;
      readonly kind: AwaitedKind;
      readonly reason: string;
    }
  /** It stands still, and continues with the next resume. */
  | {
      readonly type: "stopped";
      readonly step: string;
      readonly why: "interrupted" | "budget" | "limit" | "storage";
      readonly message: string;
      readonly retryAt?: string | undefined;
      /** When that is, and why it is not waited for, in words. */
      readonly limit?: string | undefined;
      /** Of `budget`, in US dollars: what the task's has to be for its next turns. */
      readonly neededBudgetUsd?: number | undefined;
    }
  | { readonly type: "task_ended"; readonly state: HookState }
  /** Something a person should know that stops nothing. */
  | { readonly type: "warning"; readonly message: string };
