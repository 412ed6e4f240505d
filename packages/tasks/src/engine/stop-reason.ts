import type { HookFile } from "@quasar/hookfile";

/** Why a drive goes no further. */
export interface StopReason {
  readonly stopped:
    | "completed"
    | "failed"
    | "abandoned"
    | "awaiting"
    | "interrupted"
    | "budget"
    | "limit"
    | "storage";
  /** For a person. */
  readonly message: string;
  /** RFC 3339: when a usage limit is lifted. */
  readonly retryAt?: string | undefined;
  /** When that is, and why it is not waited for, in words. */
  readonly limit?: string | undefined;
  /** Of `budget`, in US dollars: what the task's has to be for its next turns. */
  readonly neededBudgetUsd?: number | undefined;
}

/** Of a task that waits for a person or has ended. */
export function stopReasonFor(hook: HookFile): StopReason {
  const { state, awaiting, currentStep, taskId } = hook;
  switch (state) {
    case "awaiting_human": {
      const step = currentStep === undefined ? "" : ` at step ${currentStep.stepName}`;
      const { kind = "interrupted", reason = "" } = awaiting ?? {};
      const message = `task ${taskId} needs a person${step} (${kind}): ${reason}`;
      return { stopped: "awaiting", message };
    }
    case "completed":
      return { stopped: state, message: `task ${taskId} is completed` };
    case "failed":
    case "abandoned": {
      const reason = hook.history.at(-1)?.details?.["reason"];
      const why = typeof reason === "string" ? `: ${reason}` : "";
      return { stopped: state, message: `task ${taskId} ${ENDS[state]}${why}` };
    }
    case "initializing":
    case "step_pending":
    case "step_running":
    case "step_validating":
    case "recovering":
      return {
        stopped: "interrupted",
        message: `task ${taskId} was stopped: resume it to continue`,
      };
  }
}

const ENDS = { failed: "has failed", abandoned: "was abandoned" } as const;
