import type { CheckpointLedgerEntry } from "@quasar/checkpoint";
import type { Finding, ReviewReport } from "@quasar/loop";
import type { StepOutcome } from "../steps/step.ts";

/** What agents are to do in a step. The same work after a crash is the same run. */
export interface AgentWork {
  /**
   * `loop`: a coder works and a reviewer judges until it approves. `turn`: one turn of the coder.
   * `review`: one turn of the reviewer, whatever its verdict is.
   */
  readonly kind: "loop" | "turn" | "review";
  /** What is asked. The task's synopsis is put before it, and may stand there already. */
  readonly prompt: string;
  /** Of a `turn`: what is written is committed; who reads changes nothing. @default "read" */
  readonly access?: "read" | "write" | undefined;
  /**
   * Names a run of its own within the step's: a small letter, then up to 29 of `a-z`, `0-9` and `-`.
   *
   * @default "": the step's own run
   */
  readonly suffix?: string | undefined;
  /** Milliseconds from now, after which it is interrupted. @default the agents' own limits */
  readonly timeoutMs?: number | undefined;
}

/** What came of it. Whatever is not `done` is an outcome of the step as it stands. */
export type AgentWorkResult =
  | AgentWorkDone
  | Extract<StepOutcome, { readonly kind: "failed" | "stopped" }>;

export interface AgentWorkDone {
  readonly kind: "done";
  readonly runId: string;
  /** Of a `review` what the reviewer said, else what the coder said last. Hostile text. */
  readonly text: string;
  /** What the reviewer said last; `""` for a `turn`. Hostile text. */
  readonly review: string;
  /** Of a `loop` and a `review`, where the reviewer made one. */
  readonly report: ReviewReport | undefined;
  /** What the last review found: none of a `loop`, which is approved. */
  readonly findings: readonly Finding[];
  readonly cycles: number;
  /** One of each cycle; none where nothing was written. */
  readonly commits: readonly string[];
  /** Every turn of the run, those that failed included. */
  readonly turns: readonly CheckpointLedgerEntry[];
  /** US dollars of the run over all its crashes, what is reserved only included. */
  readonly costUsd: number;
  readonly unknownCostUsd: number;
  /** How many `turns` there are. */
  readonly numTurns: number;
  /** Of the last turn, where its agent has one. */
  readonly sessionId: string | undefined;
  /** It had ended before: nobody was asked. */
  readonly isKept: boolean;
}
