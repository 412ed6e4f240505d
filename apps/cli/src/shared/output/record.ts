import type { LoopEventData, TaskResult } from "@quasar/loop";

/** What `run`, `resume` and `demo` report, in the order it happens; `--json` prints each as a line. */
export type OutputRecord =
  | EventRecord
  | RunRecord
  | StepRecord
  | NoticeRecord
  | WaitingRecord
  | ResultRecord
  | ErrorRecord;

/** An event of the loop, with what the run had cost by then, in US dollars. */
export type EventRecord = LoopEventData & {
  readonly spentUsd?: number | undefined;
  /** The part of `spentUsd` that was reserved for turns whose cost is not known. */
  readonly unknownCostUsd?: number | undefined;
};

/** The first line of a run or a resume. */
export interface RunRecord {
  readonly type: "run";
  readonly runId: string;
  readonly task: string;
  readonly workDir: string;
  /** `""` where HEAD is detached. */
  readonly branch: string;
  readonly coder: string;
  readonly reviewer: string;
  /** What the coder may do, in words. */
  readonly allowed: string;
  /** Prices that the user has set, in words. @default none */
  readonly prices?: string | undefined;
  readonly maxCycles: number;
  /** 0 is no limit. */
  readonly maxBudgetUsd: number;
  /** What the coder's next turn may spend; 0: no limit. */
  readonly turnBudgetUsd: number;
  /** Spent before this start, over all crashes. */
  readonly spentUsd: number;
  /** The part of `spentUsd` that was reserved for turns whose cost is not known. */
  readonly unknownCostUsd: number;
  /** Whether turns without a limit did not say what they cost. */
  readonly hasUnsaidCosts: boolean;
}

/** A step of the demo. */
export interface StepRecord {
  readonly type: "step";
  readonly title: string;
  readonly lines: readonly string[];
}

/** Something that the command itself did or saw. */
export interface NoticeRecord {
  readonly type: "notice";
  readonly message: string;
}

/** The run waits for a usage limit to be lifted. */
export interface WaitingRecord {
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

/** The last line of a run that came to an end of its own. */
export interface ResultRecord {
  readonly type: "result";
  readonly exit: number;
  readonly outcome: TaskResult["outcome"];
  readonly runId: string;
  readonly cycle: number;
  /** What counts against the limit: `costUsd` and `unknownCostUsd`. */
  readonly totalCostUsd: number;
  /** What is known to have been spent. */
  readonly costUsd: number;
  /** What was spent at most by turns whose cost is not known. */
  readonly unknownCostUsd: number;
  readonly message: string;
  readonly report: TaskResult["report"];
  readonly findings: TaskResult["allFindings"];
  readonly baseCommitSha: string;
  readonly finalCommitSha: string;
  readonly commits: readonly string[];
  /** Whether the run has changed what is committed. */
  readonly changed: boolean;
  /** Whether the run had a check: without one nothing but the reviewer has looked at the work. */
  readonly checked: boolean;
  /** Folders of tools' caches that are left out of the commits, though git does not ignore them. */
  readonly caches: readonly string[];
  /** RFC 3339: when a usage limit is lifted, where the agent said so. */
  readonly retryAt: string | undefined;
  /** When that is, and why it is not waited for, in words; `undefined` where no limit stopped it. */
  readonly limit: string | undefined;
  readonly next: readonly string[];
}

/** The last line when a command was refused or failed. */
export interface ErrorRecord {
  readonly type: "error";
  readonly code: string;
  readonly exit: number;
  readonly message: string;
  readonly next: readonly string[];
}
