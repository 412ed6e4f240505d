import type { AgentRole } from "@quasar/agents";
import type { LoopEventData, TaskResult } from "@quasar/loop";
import type { NextStep } from "./next-step.ts";
import type { Spending } from "./text/format.ts";

/** What a run reports, in the order it happens. Text in it is not cleaned for a terminal. */
export type RunEvent = RunLoopEvent | RunBegun | Notice | Waiting;

/** Takes what is reported. It must not throw. */
export type Tell = (event: RunEvent) => void;

/** An event of the loop, with what the run had cost by then, in US dollars. */
export type RunLoopEvent = LoopEventData & {
  readonly spentUsd?: number | undefined;
  /** The part of `spentUsd` that was reserved for turns whose cost is not known. */
  readonly unknownUsd?: number | undefined;
};

/** The first event of a run or a resume. Its spending is that of before, over all crashes. */
export interface RunBegun extends Spending {
  readonly type: "run";
  readonly runId: string;
  readonly task: string;
  readonly workTree: string;
  /** `""` where HEAD is detached. */
  readonly branch: string;
  /** The agents' names. */
  readonly coder: string;
  readonly reviewer: string;
  readonly maxCycles: number;
  /** US dollars; 0 is no limit. */
  readonly maxBudgetUsd: number;
  /** Whose turn starts next. */
  readonly turnRole: AgentRole;
  /** What that turn may spend, in US dollars, as far as is known before it starts; 0: no limit. */
  readonly turnBudgetUsd: number;
}

/** Something that the runner itself did or saw. */
export interface Notice {
  readonly type: "notice";
  readonly message: string;
  /** What can be done about it; not in the journal. @default nothing */
  readonly next?: readonly NextStep[] | undefined;
}

/** The run waits for a usage limit to be lifted. */
export interface Waiting {
  readonly type: "waiting";
  /** RFC 3339: when it is tried again. */
  readonly until: string;
  /** Milliseconds from now. */
  readonly waitMs: number;
  /** Whether the agent said when the limit is lifted; else it is tried at growing intervals. */
  readonly isKnown: boolean;
  /** As the agent said it. */
  readonly message: string;
}

/** How a run ended, approved or not. */
export interface RunEnd {
  readonly result: TaskResult;
  /** When the usage limit is lifted that has stopped it, and why that is not waited for. */
  readonly limit?: string | undefined;
}
