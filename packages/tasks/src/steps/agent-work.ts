import type { AgentWork, AgentWorkDone, AgentWorkResult } from "../runs/agent-work.ts";
import type { RunningStep } from "./step.ts";

/** Has agents work in a step, as `workOnStep` does: who is given it looks at no more of what came of it. */
export type WorkOnStep = (input: RunningStep, work: AgentWork) => Promise<WorkOutcome>;

export type WorkOutcome =
  | (Pick<AgentWorkDone, "kind" | "text"> &
      Partial<Pick<AgentWorkDone, "sessionId" | "numTurns" | "costUsd">>)
  | Exclude<AgentWorkResult, AgentWorkDone>;
