import type { HookState } from "@quasar/hookfile";
import type { Notice } from "@quasar/runs/internal";
import type { DriveResult, TaskEvent } from "@quasar/tasks";
import type { ErrorRecord } from "../../shared/output/record.ts";

/** What `start` and `resume` report, in the order it happens; `--json` prints each as a line. */
export type AtlasRecord =
  | TaskEvent
  | TaskRecordLine
  | Notice
  | TaskResultRecord
  | ValidatedRecord
  | ErrorRecord;

/** The first line: which task is worked on, by whom. */
export interface TaskRecordLine {
  readonly type: "task";
  readonly taskId: string;
  readonly workspaceId: string;
  readonly description: string;
  readonly template: string;
  readonly workTree: string;
  readonly branch: string;
  readonly coder: string;
  readonly reviewer: string;
  /** What the coder may do, in words. */
  readonly allowed: string;
  /** What the coder's next turn may spend; 0: no limit. */
  readonly turnBudgetUsd: number;
  /** Prices that the user has set, in words. @default none */
  readonly prices?: string | undefined;
  readonly maxCycles: number;
  /** 0 is no limit. */
  readonly maxBudgetUsd: number;
  /** Names, in order. */
  readonly stepNames: readonly string[];
}

/** The last line of a task that was worked on. */
export interface TaskResultRecord {
  readonly type: "result";
  readonly exit: number;
  readonly outcome: DriveResult["stopped"];
  readonly taskId: string;
  readonly state: HookState;
  /** The step that is current or next; `""` where there is none. */
  readonly step: string;
  readonly message: string;
  /** RFC 3339: when a usage limit is lifted, where the agent said so. */
  readonly retryAt: string | undefined;
  /** When that is, and why it is not waited for, in words; `undefined` where no limit stopped it. */
  readonly limit: string | undefined;
  /** US dollars of the whole task, over all its crashes; what is reserved only included. */
  readonly spentUsd: number;
  /** The part of `spentUsd` that was reserved for turns whose cost is not known. */
  readonly unknownUsd: number;
  readonly next: readonly string[];
}

/** The last line of `validate`. */
export interface ValidatedRecord {
  readonly type: "validated";
  readonly exit: number;
  readonly outcome: "passed" | "failed" | "unsettled" | "interrupted" | "broken" | "none";
  readonly message: string;
  /** Of the new ones. */
  readonly receiptIds: readonly string[];
  readonly next: readonly string[];
}
