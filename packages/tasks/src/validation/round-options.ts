import type { ValidationReceipt } from "@quasar/receipts";
import type { LookPorts, StepProgress } from "../steps/step.ts";
import type { TaskEvent } from "../task-event.ts";
import type { TaskRecord } from "../task-record.ts";
import type { FindProof } from "./proof.ts";

export interface RoundOptions {
  readonly taskDir: string;
  readonly task: Pick<TaskRecord, "id" | "workspaceId" | "config">;
  /** Under whose name the receipts are. */
  readonly stepName: string;
  /** From 1. */
  readonly attempt: number;
  /** Absolute path of the work tree's root. */
  readonly worktree: string;
  readonly runId: string;
  readonly ports: Pick<LookPorts, "keys" | "env" | "checkEnv" | "now" | "redact" | "atlas">;
  /** Of the step, beside that of each command, in milliseconds from now. @default none */
  readonly timeoutMs?: number | undefined;
  /** @default nothing is proved: every command is run */
  readonly findProof?: FindProof | undefined;
  readonly tell: (event: TaskEvent) => void;
  readonly note: (progress: StepProgress) => void;
  /** Hears of a receipt as soon as it is signed. */
  readonly onSigned?: ((receipt: ValidationReceipt) => void) | undefined;
  readonly signal: AbortSignal;
}
