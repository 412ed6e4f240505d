import type { RunningStep, StepOutcome, StepReport } from "./step.ts";

/** What these steps ask of an agent. */
export interface AgentWork {
  /** `turn`: one of the coder's; `review`: one of the reviewer's, who only reads. */
  readonly kind: "turn" | "review";
  readonly prompt: string;
  /** Of a turn. @default "read" */
  readonly access?: "read" | "write" | undefined;
  /** Tells several works of one step apart; the same one again goes on with the same run. */
  readonly suffix?: string | undefined;
  readonly timeoutMs?: number | undefined;
}

/** What came of it; all but `done` is what the step's own outcome can be. */
export type AgentWorkResult =
  | ({
      readonly kind: "done";
      /** The agent's last answer. Hostile text. */
      readonly text: string;
    } & Pick<StepReport, "sessionId" | "numTurns" | "costUsd">)
  | Extract<StepOutcome, { readonly kind: "failed" | "awaiting" | "stopped" }>;

/** Has an agent work: starts its run, or goes on with what a crash has left of it. */
export type WorkOnStep = (input: RunningStep, work: AgentWork) => Promise<AgentWorkResult>;
