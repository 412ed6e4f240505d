import type { FileChange } from "@quasar/git/history";
import type { TaskResult } from "@quasar/loop";
import type { Notice, RunBegun, RunLoopEvent } from "@quasar/runs/internal";
import type { Waiting } from "@quasar/runs/tree";
import type { CliErrorCode } from "../errors.ts";

/** What `run`, `resume` and `demo` report, in the order it happens; `--json` prints each as a line. */
export type OutputRecord =
  | RunLoopEvent
  | RunRecord
  | StepRecord
  | Notice
  | Waiting
  | ResultRecord
  | ErrorRecord;

/** The first line of a run or a resume. */
export interface RunRecord extends RunBegun {
  /** What the coder may do, in words. */
  readonly allowed: string;
  /** Prices that the user has set, in words. @default none */
  readonly prices?: string | undefined;
}

/** A step of the demo. */
export interface StepRecord {
  readonly type: "step";
  readonly title: string;
  readonly lines: readonly string[];
}

/** The last line of a run that came to an end of its own. */
export interface ResultRecord {
  readonly type: "result";
  readonly exit: number;
  readonly outcome: TaskResult["outcome"];
  readonly runId: string;
  readonly cycle: number;
  /** What counts against the limit: `knownUsd` and `unknownUsd`. */
  readonly spentUsd: number;
  /** What is known to have been spent. */
  readonly knownUsd: number;
  /** What was spent at most by turns whose cost is not known. */
  readonly unknownUsd: number;
  readonly message: string;
  readonly report: TaskResult["report"];
  readonly findings: TaskResult["allFindings"];
  readonly baseSha: string;
  readonly finalSha: string;
  readonly commits: readonly string[];
  /** In what the run's commits differ from where it began, by path; of a binary file there are no lines. */
  readonly files: readonly FileChange[];
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
  readonly code: CliErrorCode;
  readonly exit: number;
  readonly message: string;
  readonly next: readonly string[];
}
