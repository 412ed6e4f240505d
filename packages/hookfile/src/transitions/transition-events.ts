import type { ValidationReceipt } from "@quasar/receipts";
import type {
  AwaitedDecision,
  NewTask,
  RecoveryContext,
  StepCheckpoint,
} from "../store/hook-file.ts";

/** Said with any event: goes into its `details`. */
interface Said {
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** What an event of each type has to say. */
export interface TransitionEvents {
  /** The first of a task: there is no hook before it. */
  readonly init: Said & { readonly task: NewTask };
  /** The work tree and the branch are there. */
  readonly setup_complete: Said;
  /** Starts the first step that is not done: an attempt more. */
  readonly start_step: Said & {
    readonly prompt?: string | undefined;
    readonly workingOn?: string | undefined;
  };
  /** Of a validation step: its commands run now. */
  readonly step_output: Said;
  /** Changes no state: what was reached is on record. */
  readonly checkpoint: Said & { readonly checkpoint: StepCheckpoint };
  /** Of any but a validation step: it is done. */
  readonly step_complete: Said;
  /** Of a validation step: it is done, and these prove it; one or more. */
  readonly validate_pass: Said & { readonly receipts: readonly ValidationReceipt[] };
  readonly validate_fail: Said & {
    readonly reason: string;
    readonly receipts: readonly ValidationReceipt[];
  };
  /** One attempt within the step has failed, the next one begins; the state stays. */
  readonly attempt_failed: Said & {
    readonly reason: string;
    readonly receipts?: readonly ValidationReceipt[] | undefined;
  };
  readonly human_required: Said & Pick<AwaitedDecision, "kind" | "reason">;
  /** Answers a review only. */
  readonly human_approve: Said;
  readonly human_reject: Said & { readonly feedback: string };
  readonly retry_step: Said;
  /** The current step, else the next one. It becomes `skipped`, never `completed`. */
  readonly skip_step: Said & {
    readonly reason: string;
    /** What shows that the step's effect is there already. */
    readonly evidence?: string | undefined;
  };
  readonly crash_detected: Said & { readonly recovery: RecoveryContext };
  readonly manual_required: Said & {
    readonly reason: string;
    /** @default "interrupted" */
    readonly kind?: AwaitedDecision["kind"] | undefined;
  };
  readonly fail: Said & { readonly reason: string };
  readonly abandon: Said & { readonly reason?: string | undefined };
}

export type HookTrigger = keyof TransitionEvents;

/** What happens to a task: `{ type: "start_step", prompt }`. */
export type HookInput = {
  readonly [Type in HookTrigger]: { readonly type: Type } & TransitionEvents[Type];
}[HookTrigger];
