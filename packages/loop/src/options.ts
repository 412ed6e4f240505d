import type { Checkpoint, CheckpointStore } from "@quasar/checkpoint";
import type { Repository } from "@quasar/git";
import type { AgentFailure, AgentInvoker } from "./agent.ts";
import type { FailureReason, Hook, LoopEvent } from "./event.ts";
import type { Finding } from "./finding.ts";
import type { ReviewReport } from "./review.ts";

/**
 * What a run consists of: the whole loop, or one turn that is a run of its own and ends `approved` once
 * it is done. What a `coder` writes is committed; a `reader` is a coder that may change nothing, and
 * nothing is committed; a `reviewer` is done whatever its verdict is.
 */
export type RunPart = "loop" | "coder" | "reader" | "reviewer";

/** How a run's commits are called, and what they carry beside the loop's own trailers. */
export interface CommitWords {
  /** Of the first cycle; others and lint fixes say so behind it. @default `<task>/cycle-<n>: <task>` */
  readonly subject?: string | undefined;
  /** By name. The loop's own win over one of the same name. @default none */
  readonly trailers?: Readonly<Record<string, string>> | undefined;
}

/** A command of the user's that judges the work tree: exit code 0 is a pass. Run by a shell. */
export interface Check {
  readonly name: string;
  readonly command: string;
}

export interface CheckpointOptions {
  readonly store: CheckpointStore;
  /** `""` for a standalone run. @default "" */
  readonly phaseId?: string | undefined;
  /** @default "" */
  readonly nebulaName?: string | undefined;
  /**
   * `cycle`: the hook writes when a cycle or the task ends (the seed's rule).
   * `turn`: the loop also saves around each turn, so that a finished turn is never bought again.
   * @default "cycle"
   */
  readonly granularity?: "cycle" | "turn" | undefined;
  /** What a failed save of the hook does; one around a turn always stops. @default "report" */
  readonly onSaveError?: "report" | "stop" | undefined;
}

/** A work tree in a repository. */
export interface SeenTree {
  readonly repository: Repository;
  /** The commit that HEAD is at; `""` while there is none. */
  readonly head: string;
  /**
   * Nothing is uncommitted in it, and no process of the run was left when that was seen. It saves a
   * snapshot before a coder's turn that is taken again. @default false
   * @see SPEC.md, "Unfinished turns"
   */
  readonly clean?: boolean | undefined;
}

export interface LoopOptions {
  /** Absolute path of the work tree. */
  readonly workDir: string;
  /** What its caller has just seen of it. @default git is asked */
  readonly seen?: SeenTree | undefined;
  readonly coder: AgentInvoker;
  readonly reviewer: AgentInvoker;
  /** The same whenever the run is gone on with. @default "loop" */
  readonly part?: RunPart | undefined;
  readonly commit?: CommitWords | undefined;
  /** @default 3 */
  readonly maxCycles?: number | undefined;
  /** US dollars over all crashes of the run; 0 is no limit. @default 5 */
  readonly maxBudgetUsd?: number | undefined;
  /** In the agents' environment and in the commits' trailers. @default a random one */
  readonly runId?: string | undefined;
  /** @default none: nothing is stored */
  readonly checkpoint?: CheckpointOptions | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  readonly lint?: readonly Check[] | undefined;
  /** How often the coder may mend lint within a cycle. @default 2 */
  readonly maxLintRetries?: number | undefined;
  /** Checks that send the cycle back to the coder without a review. */
  readonly filters?: readonly Check[] | undefined;
  /** Stop with the outcome `struggling` when the loop goes in circles. @default false */
  readonly detectStruggle?: boolean | undefined;
  /** Asked at the end of each cycle: a new text for the task, or `undefined` to go on. */
  readonly takeRefactor?: (() => string | undefined) | undefined;
  /** Goals and constraints of the project, put before the agents' standing instructions. */
  readonly projectContext?: string | undefined;
  /** Paths that were dirty before the run and are never committed by it. */
  readonly untouchablePaths?: readonly string[] | undefined;
  /** Longest time a lint or filter command may take, in milliseconds. @default 600_000 */
  readonly checkTimeoutMs?: number | undefined;
  /**
   * Resume although HEAD is not where the checkpoint left it. What was done to the tree meanwhile is
   * taken as it is; a `warning` records it. @default false
   */
  readonly acceptHead?: boolean | undefined;
  /**
   * Absolute path of the folder for the turns' files, kept with the run: with it, and with turns that
   * are saved, an agent outlives this process and a resume takes its work. @default none: agents end
   * with this process
   */
  readonly turnsDir?: string | undefined;
  /** Agents end with this process although there is a `turnsDir`. @default false */
  readonly leash?: boolean | undefined;
  /**
   * Takes secrets out of what checks and git hooks print, before it is stored or told.
   *
   * @default nothing is taken out
   */
  readonly redact?: ((text: string) => string) | undefined;
  /**
   * Told of each event before anything else is done about it, the save of the checkpoint included: a
   * write-ahead record. After a crash an event may be told again. A journal that throws stops the run.
   */
  readonly journal?: ((event: LoopEvent) => void) | undefined;
  readonly onEvent?: ((event: LoopEvent) => void) | undefined;
  /** Interrupts the loop: the agent is cancelled, the state saved. */
  readonly signal?: AbortSignal | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

export interface Task {
  /** @default asked from the first hook that can create one, else made from the run's id */
  readonly id?: string | undefined;
  /** The whole text of the task; its first line names it. */
  readonly title: string;
}

/** How a task ended. What it cost is known in every case. */
export interface TaskResult {
  readonly outcome: "approved" | "struggling" | FailureReason;
  readonly taskId: string;
  readonly runId: string;
  readonly cycle: number;
  /** US dollars over all crashes of the run. */
  readonly totalCostUsd: number;
  /** How much of it is reserved only, for turns of which not all is known: it may be so much less. */
  readonly unknownCostUsd: number;
  readonly message: string;
  readonly report: ReviewReport | undefined;
  readonly findings: readonly Finding[];
  readonly allFindings: readonly Finding[];
  readonly baseCommitSha: string;
  readonly finalCommitSha: string;
  readonly cycleCommits: readonly string[];
  /** The last checkpoint's content, also where nothing was stored. */
  readonly checkpoint: Checkpoint;
  /** The agent's failure behind `agent`, as it reported it. */
  readonly agentFailure: AgentFailure | undefined;
}
