import type { HookFile, StepRecord } from "@quasar/hookfile";
import type { CheckpointTrigger } from "@quasar/hookfile/checkpoints";
import type { StepEffect } from "@quasar/hookfile/recovery";
import type { AgentInvoker } from "@quasar/agents";
import type { KeyManager, ValidationReceipt } from "@quasar/receipts";
import type { TaskRecord } from "../task-record.ts";
import type { TemplateStep } from "../templates/template.ts";
import type { AwaitedKind, TaskEvent } from "../task-event.ts";

/** How one type of step is done. */
export interface StepExecutor {
  /**
   * Before the step starts: whether there is nothing to do, or it is done already. Only looks.
   *
   * @default it always starts
   */
  look?(input: StepInput): Promise<Skip | undefined>;
  /** Does it. Safe to be called again after a crash at any instant. */
  run(input: RunningStep): Promise<StepOutcome>;
  /** After a crash: whether the interrupted attempt took effect. For steps that are reconciled. */
  probe?(input: StepInput): Promise<StepEffect>;
}

export interface Skip {
  readonly reason: string;
  /** What shows it: a commit, a remote's ref, a receipt. */
  readonly evidence: string;
}

export interface StepInput {
  readonly taskDir: string;
  readonly task: TaskRecord;
  readonly hook: HookFile;
  /** The hook file's record of the step. */
  readonly step: StepRecord;
  readonly definition: TemplateStep;
  /** Absolute path of the work tree's root. */
  readonly worktree: string;
  readonly ports: LookPorts;
  readonly signal: AbortSignal;
}

export interface RunningStep extends Omit<StepInput, "ports"> {
  readonly ports: TaskPorts;
  /** From 1. */
  readonly attempt: number;
  /** The prompt that the hook file has on record for this attempt; whole, also where that one is cut. */
  readonly prompt: string;
  tell(event: TaskEvent): void;
  /** Records what the agent is at; written at most once a second, and before the step ends. */
  note(progress: StepProgress): void;
  /** Makes a step checkpoint, if the task's configuration wants one for this trigger. */
  checkpoint(trigger: CheckpointTrigger, description: string): Promise<void>;
  /** An attempt failed and the step itself tries again; the receipts of what failed are kept. */
  attemptFailed(reason: string, receipts: readonly ValidationReceipt[]): Promise<void>;
  /** Puts receipts into the hook file that were signed in a step other than a validation. */
  recordReceipts(receipts: readonly ValidationReceipt[]): void;
}

export interface StepProgress {
  readonly workingOn?: string | undefined;
  readonly lastOutput?: string | undefined;
}

export type StepOutcome =
  | ({ readonly kind: "completed" } & StepReport)
  /** It failed. Where `retryable` and attempts are left it is tried again at once. */
  | ({
      readonly kind: "failed";
      readonly reason: string;
      readonly awaiting: AwaitedKind;
      readonly retryable: boolean;
      /** What of a run of agents cannot be resumed: the next attempt begins a new one. @default false */
      readonly endsRun?: boolean | undefined;
    } & Partial<StepReport>)
  /** A person is needed; that is no failure. */
  | ({
      readonly kind: "awaiting";
      readonly awaiting: AwaitedKind;
      readonly reason: string;
    } & Partial<StepReport>)
  /** It was not brought to an end, and continues with the next resume. */
  | {
      readonly kind: "stopped";
      readonly why: "interrupted" | "budget" | "limit" | "storage";
      readonly message: string;
      /** RFC 3339: when a usage limit is lifted. */
      readonly retryAt?: string | undefined;
      /** When that is, and why it is not waited for, in words. */
      readonly limit?: string | undefined;
      /** Of `budget`, in US dollars: what the task's has to be for its next turns. */
      readonly neededBudgetUsd?: number | undefined;
    };

export interface StepReport {
  /** One line: what was done. */
  readonly summary: string;
  /** What was said or printed, whole. @default "" */
  readonly output?: string | undefined;
  /** New receipts, not in the hook file yet, in order. */
  readonly receipts?: readonly ValidationReceipt[] | undefined;
  /** Made before the step's end, where the configuration wants it. */
  readonly checkpoint?:
    | { readonly trigger: CheckpointTrigger; readonly description: string }
    | undefined;
  readonly sessionId?: string | undefined;
  readonly numTurns?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What looking at a task needs of the world. */
export interface LookPorts {
  /** ATLAS_HOME, absolute. */
  readonly home: string;
  readonly keys: KeyManager;
  /** Of git, gh and the notification. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of validation commands. @default `env` */
  readonly checkEnv?: Readonly<Record<string, string | undefined>> | undefined;
  readonly now: () => Date;
  /** Takes secrets out of what programs print, before it is stored or told. */
  readonly redact: (text: string) => string;
  /** How `atlas` is started: each an absolute path. */
  readonly atlas: readonly string[];
  /** Of `atlas`, for HOOK.md's footer. */
  readonly version: string;
}

/** What driving a task needs of the world. */
export interface TaskPorts extends LookPorts {
  readonly coder: AgentInvoker;
  readonly reviewer: AgentInvoker;
  /** What the repository asks of agents: the same whenever the task is resumed. @default none */
  readonly conventions?: string | undefined;
  /** Of cycle checkpoints. */
  readonly sealKey?: Uint8Array | undefined;
  /** Agents end with this process. @default false */
  readonly leash?: boolean | undefined;
  /** How often a turn of an agent is retried after a transient failure. @default 0 */
  readonly retries?: number | undefined;
  /** How long usage limits may be waited for before a turn succeeds again, in milliseconds. @default 0 */
  readonly waitLimitMs?: number | undefined;
  /** Whether a run that is resumed asks its agent at once, whatever usage limit or retry it waits for. @default false */
  readonly asksAtOnce?: boolean | undefined;
  /** Whether the engine still has the locks under which it drives the task. @default always */
  readonly holdsLock?: (() => boolean) | undefined;
}
