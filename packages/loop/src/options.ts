import type { Checkpoint, CheckpointStore, CommitStyle } from "@quasar/checkpoint";
import type { Repository, RepositoryFacts } from "@quasar/git";
import type { SeenWork } from "@quasar/git/internal";
import type { AgentFailure, AgentInvoker, AgentRole } from "@quasar/agents";
import type { FailureReason, Hook, LoopEvent } from "./event.ts";
import type { Finding } from "./review/finding.ts";
import type { ControlsOptions } from "./repository/controls.ts";
import type { WayBack } from "./resume/way-back.ts";
import type { People } from "./question/people.ts";
import type { ReviewReport } from "./review/review.ts";

/**
 * How a run's commits are worded.
 *
 * `seed`: `<task>/cycle-<n>: <task>`, without a body. Else the coder names the subject and its report is the
 * body: `conventional` in the form of Conventional Commits, `plain` free of it, `auto` in the form that the
 * repository has when the run begins.
 */
export type CommitWording = CommitStyle | "auto";

/** How a run's commits are called, and what they carry beside the loop's own trailers. */
export interface CommitWords {
  /** When a run is resumed: not said, or `auto`, is what it began with. @default "seed" */
  readonly style?: CommitWording | undefined;
  /**
   * Names the work where the coder does not: of the first cycle; others and lint fixes say so behind it.
   *
   * @default the task's first line; in the style `seed` `<task>/cycle-<n>: ` before it
   */
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
   * `turn`: the loop also saves around each turn, so that a finished turn is never paid for again.
   * @default "cycle"
   */
  readonly granularity?: "cycle" | "turn" | undefined;
  /** What a failed save of the hook does; one around a turn always stops. @default "report" */
  readonly onSaveError?: "report" | "stop" | undefined;
}

/** The repository of a run. */
export interface RunRepository extends Repository {
  /**
   * Looks at the work tree when a run is resumed, before anything of it works. For a caller who has made sure
   * first that no process of the run is left: then what it says holds until the run itself continues.
   *
   * @default git is asked where HEAD is, and nothing is known of the rest
   * @see SPEC.md, "Unfinished turns"
   */
  readonly look?: (() => Promise<Pick<RepositoryFacts, "head" | "branch" | "dirty">>) | undefined;
  /** What was seen of the work tree just before a run starts in it, and nothing has worked there since. @default looked at */
  readonly seen?: SeenWork | undefined;
}

export interface LoopOptions {
  /** Absolute path of the work tree. */
  readonly workTree: string;
  /**
   * The repository that it is in: a run fails where it cannot be used.
   *
   * @default searched for; where there is none, the run works without commits
   */
  readonly repository?: RunRepository | undefined;
  readonly coder: AgentInvoker;
  readonly reviewer: AgentInvoker;
  readonly commit?: CommitWords | undefined;
  /** @default 3 */
  readonly maxCycles?: number | undefined;
  /** US dollars over all crashes of the run; 0 is no limit. @default 5 */
  readonly maxBudgetUsd?: number | undefined;
  /** US dollars that one turn may spend at most, of what its budget leaves it; 0 is no further limit. @default 0 */
  readonly maxTurnBudgetUsd?: number | undefined;
  /** In the agents' environment, and the beginning of each turn's id. @default a random one */
  readonly runId?: string | undefined;
  /** @default none: nothing is stored */
  readonly checkpoint?: CheckpointOptions | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  readonly lint?: readonly Check[] | undefined;
  /** How often the coder may fix lint within a cycle. @default 2 */
  readonly maxLintRetries?: number | undefined;
  /**
   * How often a turn is retried, after growing pauses, that failed of something which passes: an
   * overloaded model, a lost network, a killed agent (once). @default 0
   * @see SPEC.md, "Retries"
   */
  readonly retries?: number | undefined;
  /** Checks that send the cycle back to the coder without a review. */
  readonly filters?: readonly Check[] | undefined;
  /**
   * Says what is wrong with a commit of the work, `""` where it finds nothing: asked before the filters of each cycle, and
   * what it says sends the cycle back to the coder as theirs does. A function of the commit: it is asked again after a crash.
   * @default nobody is asked
   */
  readonly judgeCommit?: ((sha: string) => Promise<string>) | undefined;
  /**
   * Shell commands that the coder may run beside the checks, as they stand or with further arguments.
   * @default none
   */
  readonly commands?: readonly string[] | undefined;
  /** Stop with the outcome `struggling` when the loop goes in circles. @default false */
  readonly detectStruggle?: boolean | undefined;
  /**
   * Asked at the end of each cycle that was not approved, with the task's text as it stands: a new text for it, or
   * `undefined` to continue. After a crash it may be asked again, as long as its answer was not saved.
   */
  readonly takeRefactor?: ((task: string) => string | undefined) | undefined;
  /** Whom agents may ask in their answers. @default nobody: they are not told that they can */
  readonly people?: People | undefined;
  /**
   * What the repository asks of agents that work in it: in the first message of each session, as untrusted
   * text. The same whenever the run is resumed. @default none
   */
  readonly conventions?: string | undefined;
  /** Goals and constraints of the project, put before the agents' standing instructions. */
  readonly projectContext?: string | undefined;
  /** Paths that were dirty before the run and are never committed by it. */
  readonly untouchablePaths?: readonly string[] | undefined;
  /** Longest time a lint or filter command may take, in milliseconds: less than 2^31. @default 600_000 */
  readonly checkTimeoutMs?: number | undefined;
  /** The environment of lint and filter commands. @default that of this process */
  readonly checkEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * What controls git in the work tree (settings, git hooks) as it was before anything of the work ran, so that no
   * commit is made with what has changed since.
   *
   * @default found when the run starts or resumes, and kept in this process
   */
  readonly controls?: ControlsOptions | undefined;
  /**
   * Resume although HEAD is not where the checkpoint left it. What was done to the tree meanwhile is
   * taken as it is; a `warning` records it. @default false
   */
  readonly acceptHead?: boolean | undefined;
  /** Resume although HEAD is on another branch than the run's: it works on that one then. @default false */
  readonly acceptBranch?: boolean | undefined;
  /**
   * Absolute path of the folder for the turns' files, kept with the run: with it, and with turns that
   * are saved, an agent outlives this process and a resume takes its work. @default none: agents end
   * with this process
   */
  readonly turnsDir?: string | undefined;
  /**
   * The work tree is the run's alone: a person neither edits in it nor looks for its commits there, and is not told
   * about either. Locks that a dead git has left there are moved aside before each commit. @default false
   */
  readonly ownsTree?: boolean | undefined;
  /** Agents end with this process although there is a `turnsDir`. @default false */
  readonly leash?: boolean | undefined;
  /**
   * Takes secrets out of what checks and git hooks print, before it is stored or told.
   *
   * @default nothing is taken out
   */
  readonly redact?: ((text: string) => string) | undefined;
  /**
   * Takes out of a commit's message what must not leave the machine, beside what `redact` does.
   *
   * @default `redact`
   */
  readonly redactCommit?: ((text: string) => string) | undefined;
  /**
   * Told of each event before anything else is done about it, the save of the checkpoint included: a
   * write-ahead record. After a crash an event may be told again. A journal that throws stops the run.
   */
  readonly journal?: ((event: LoopEvent) => void) | undefined;
  readonly onEvent?: ((event: LoopEvent) => void) | undefined;
  /**
   * Whether the caller still has the lock under which the run is driven: asked before each step, before
   * anything is done about a turn's end, and at the run's end. Once it is `false`, the run ends as
   * `superseded`: no event is emitted, nothing is saved, and no agent is started or ended. The store and
   * the journal ask for themselves. @default always
   */
  readonly holdsLock?: (() => boolean) | undefined;
  /**
   * Asked before a turn begins, and before checks: `false` ends the run as `interrupted` once the turn that works has
   * ended and its work is saved. @default always
   *
   * @param role - Whose turn it is; `undefined` before checks, which one may follow.
   */
  readonly mayBeginTurn?: ((role: AgentRole | undefined) => boolean) | undefined;
  /** Interrupts the loop: the agent is cancelled, the state saved. */
  readonly signal?: AbortSignal | undefined;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** Of one turn by itself: what only a loop has is not among them. */
export type TurnOptions = Omit<
  LoopOptions,
  | "maxCycles"
  | "lint"
  | "maxLintRetries"
  | "filters"
  | "judgeCommit"
  | "detectStruggle"
  | "takeRefactor"
  | "people"
>;

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
  /** Whether the tree of the last commit is another than that of the first. */
  readonly changed: boolean;
  readonly cycleCommits: readonly string[];
  /** Folders of tools' caches in the work tree that git does not ignore: no commit holds them. */
  readonly caches: readonly string[];
  /** The last checkpoint's content, also where nothing was stored. */
  readonly checkpoint: Checkpoint;
  /** The agent's failure behind `agent`, or behind a turn that reached its limit, as it reported it. */
  readonly agentFailure: AgentFailure | undefined;
  /** Where the work tree is not as a resume takes it: what to type. */
  readonly wayBack?: WayBack | undefined;
  /** The folder whose disk has no room, where that stopped the run (`storage`). */
  readonly fullDisk?: string | undefined;
}
