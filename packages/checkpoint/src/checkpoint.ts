import type { Phase } from "./phases.ts";

/** The only version of the format so far: what `version` must be. */
export const CHECKPOINT_VERSION = 1;

/** What a reviewer found. */
export interface CheckpointFinding {
  /** `f-` and 12 hex digits of SHA-256 over severity and description; recomputed where a file has none. */
  readonly id: string;
  /** As the reviewer wrote it: usually `critical`, `major` or `minor`. */
  readonly severity: string;
  readonly description: string;
  /** The cycle that found it, from 1. */
  readonly cycle: number;
  readonly status: FindingStatus;
}

/** What has become of a finding. A file that says nothing says `found`. */
export type FindingStatus = "found" | "fixed" | "still_present" | "regressed";

/** One invocation of one agent, saved by the loop around it (granularity `"turn"`). */
export interface CheckpointTurn {
  /** `<run id>.<n>`, n counting the run's turns from 1; the value of the trailer `Quasar-Turn`. */
  readonly id: string;
  readonly role: "coder" | "reviewer";
  /** Counts the starts of the same piece of work, from 1. */
  readonly attempt: number;
  /** `started`: how it ended is not yet known. `settled`: its output and cost are in this checkpoint. */
  readonly status: "started" | "settled";
  /** US dollars that the turn may spend; 0: no limit, or a file that does not say it. */
  readonly allowanceUsd: number;
  /** US dollars that count as spent if nothing is ever learned of what the turn has cost. */
  readonly reservedUsd: number;
  /** Whether its agent is not known to report what a turn costs: then nothing holds it to its allowance. */
  readonly unmetered: boolean;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The agent's own name for its conversation, once known; `""` before. */
  readonly sessionId: string;
  /** Whether it continues the agent session of an earlier turn. */
  readonly resumed: boolean;
  /** Names the making of the work tree that it works in: one that is made again has another; `""` where unknown. */
  readonly treeMark: string;
  /** The process that runs the agent, stored before the agent may do anything; 0 before. */
  readonly pid: number;
  /** Clock ticks from boot to the start of that process; 0 where unknown. */
  readonly processStart: number;
  /** Of the boot that the process was started in; `""` where unknown. */
  readonly bootId: string;
  /** The machine that the process was started on; `""` where unknown. */
  readonly host: string;
  /** How often the same piece of work was retried after a transient failure, by the loop itself. */
  readonly retries: number;
  /** How many of these retries came after the agent was killed. */
  readonly kills: number;
  /** RFC 3339: the turn failed, and is retried then; `""` when no retry is due. */
  readonly retryAt: string;
}

/**
 * How a commit is worded: `seed` as the original does, else by its coder, in the form of Conventional
 * Commits or free of it. A file that says nothing says `seed`.
 */
export type CommitStyle = "seed" | "plain" | "conventional";

/** What one turn has cost. The costs of all entries add up to the run's. */
export interface CheckpointLedgerEntry {
  /** Id of the turn; `""` for the sum of the oldest ones of a very long run. */
  readonly turnId: string;
  readonly role: "coder" | "reviewer";
  readonly cycle: number;
  readonly attempt: number;
  /** `settled`: its work was taken. `failed`: its agent failed. `lost`: its end was never learned, or its work was gone. */
  readonly status: "settled" | "failed" | "lost";
  /** Who says so: the agent, our price table, its stream up to where that ends, or nobody. */
  readonly source: "reported" | "computed" | "partial" | "unknown";
  /** US dollars that it might cost. */
  readonly reservedUsd: number;
  /** US dollars that count for it. */
  readonly costUsd: number;
  /** How much of `costUsd` is reserved only. */
  readonly unknownUsd: number;
  /** RFC 3339. */
  readonly startedAt: string;
}

/**
 * What a path held that is not the run's: uncommitted when the run began, or changed by a person while
 * no step ran.
 */
export interface CheckpointProtectedPath {
  /** From the root of the work tree, `/` between parts. */
  readonly path: string;
  /** Git's mode: `100644`, `100755`, `120000`; `000000` where there was nothing; `160000` for a repository within. */
  readonly mode: string;
  /** Id of the blob with its bytes as they were on disk; `""` where the mode has none. */
  readonly id: string;
}

/** What a question of an agent is about. `blocker`: the work does not continue without the answer. */
export type QuestionKind = "decision_needed" | "ambiguity" | "blocker" | "human_review";

/** What an agent has asked a person in the answer of its turn. Texts are the agent's, one line each. */
export interface CheckpointQuestion {
  /** `q-` and 8 hex digits of SHA-256 over its turn's id and its number there. */
  readonly id: string;
  readonly turnId: string;
  readonly role: "coder" | "reviewer";
  readonly cycle: number;
  readonly kind: QuestionKind;
  readonly summary: string;
  readonly detail: string;
  /** Answers to choose from; none: free. */
  readonly options: readonly string[];
}

/** How a runner ended a run that is not approved. */
export interface CheckpointOutcome {
  /** A word of the program that drives the run. */
  readonly outcome: string;
  /** For a person. */
  readonly message: string;
  /** Rules that would have allowed what an agent was denied. */
  readonly allow: readonly string[];
  /** Requests that the agent had made when it reached its limit of them; 0 where it did not. */
  readonly requests: number;
}

/** A value that a TOML file can hold; what settings and unknown keys are kept as. */
export type TomlValue =
  | string
  | number
  | boolean
  | Date
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

/**
 * Everything that is needed to continue a coder-reviewer loop: plain data, as stored.
 *
 * The first block is the seed's; files of the Go original have exactly those keys. The second is
 * ours: extra keys within version 1, which the Go reader passes over, with defaults when absent.
 *
 * @see SPEC.md, "Keys"
 */
export interface Checkpoint {
  /** {@link CHECKPOINT_VERSION}. */
  readonly version: number;
  /** The nebula's phase, `""` for a standalone run. */
  readonly phaseId: string;
  /** `""` for a standalone run. */
  readonly nebulaName: string;
  /** RFC 3339, kept as it was read, to the nanosecond and with its offset. */
  readonly createdAt: string;
  /** HEAD when the checkpoint was written: 40 or 64 hex digits, `""` outside a repository. */
  readonly gitSha: string;
  readonly taskBeadId: string;
  readonly taskTitle: string;
  /** The cycle that `phase` is of, from 1; 0 before the first. */
  readonly cycle: number;
  readonly maxCycles: number;
  readonly phase: Phase;
  /** US dollars, over all crashes of the run. */
  readonly totalCostUsd: number;
  /** US dollars; 0 is no limit. */
  readonly maxBudgetUsd: number;
  readonly coderOutput: string;
  readonly reviewOutput: string;
  readonly lintOutput: string;
  /** HEAD before the first cycle. */
  readonly baseCommitSha: string;
  /** The commit of cycle n at index n - 1. */
  readonly cycleCommits: readonly string[];
  readonly childBeadIds: readonly string[];
  readonly refactored: boolean;
  /** Of the cycle that `cycle` names. */
  readonly findings: readonly CheckpointFinding[];
  /** Of all cycles. */
  readonly allFindings: readonly CheckpointFinding[];

  /** Counts the saves of a run, from 1; 0 in a file that says nothing. Orders files where clocks cannot. */
  readonly revision: number;
  /** `""` in a file of somebody else. */
  readonly runId: string;
  /**
   * US dollars within {@link totalCostUsd} that are reservations: what turns cost whose end or price
   * nobody learned.
   */
  readonly unknownCostUsd: number;
  /** Whether the cost of turns without a limit was not reported. */
  readonly hasUnreportedCosts: boolean;
  /** What the failed filter check printed; `""` when none failed. */
  readonly filterOutput: string;
  readonly filterCheckName: string;
  /** Names of the filter checks that failed, one a cycle, `""` for a cycle without. */
  readonly filterHistory: readonly string[];
  /** The task before it was refactored while the loop ran; `""` when it was not. */
  readonly originalDescription: string;
  readonly refactorDescription: string;
  /** What the agent of the last turn has asked, and the blockers before it that are not answered. */
  readonly questions: readonly CheckpointQuestion[];
  /** The answers of a person that stand before the prompt of the turn that is under way, or next; `""`: none do. */
  readonly humanResponses: string;
  /** Ids of the questions whose answers were put before a prompt: none is put there twice. */
  readonly relayedAnswers: readonly string[];
  /** Paths that were dirty before the run and are never committed by it. */
  readonly untouchablePaths: readonly string[];
  /** What they held. A path that is missing here holds what it holds when the run is resumed. */
  readonly protectedPaths: readonly CheckpointProtectedPath[];
  /** The branch that the run works on; `HEAD` where HEAD is on none; `""` where nobody noted it. */
  readonly branch: string;
  /** Id of the git tree that the last checks left; `""` before. */
  readonly checkedTree: string;
  /** Names the checks that left it, which have passed on it; `""` where there were none, or nobody noted it. */
  readonly checkedWith: string;
  /** Id of the git tree that the last reviewer was given; `""` before. */
  readonly reviewedTree: string;
  /** Why the last runner ended, when it could still say so; `""` otherwise. */
  readonly failure: string;
  /** RFC 3339: when the usage limit is lifted that stopped the run; `""` when none did. */
  readonly retryAt: string;
  /** How the run's commits are worded. */
  readonly commitStyle: CommitStyle;
  /**
   * What was refused of the commit that the coder fixes in its turn, its `work` or its `message`; `""` when
   * nothing was. What was printed is in {@link lintOutput}.
   */
  readonly commitRefused: "" | "work" | "message";
  /** How often the coder has fixed a refused commit in this cycle. */
  readonly commitFixes: number;
  /** How often the coder has fixed lint in this cycle. */
  readonly lintFixes: number;
  /**
   * A digest of all that the agent of {@link turn} was told when its session began; `""` for one whose session
   * cannot be resumed. Only who would be told the same may resume it.
   */
  readonly turnInstructions: string;
  /** The next commit's subject, once a hook has refused another; `""` otherwise. */
  readonly commitSubject: string;
  /**
   * US dollars that the budget has to be for the run to continue, where money stopped it; 0 otherwise.
   */
  readonly neededBudgetUsd: number;
  /** The same for what one turn may spend, where a cap on turns stopped it. */
  readonly neededTurnBudgetUsd: number;
  /** What each turn has cost, oldest first. */
  readonly ledger: readonly CheckpointLedgerEntry[];
  readonly turn?: CheckpointTurn | undefined;
  /** How the last runner ended the run; `undefined` while one drives it, and where that one was killed. */
  readonly outcome?: CheckpointOutcome | undefined;
  /**
   * What the program that drives the run keeps with it, passed through untouched; `undefined` in a file of
   * another program.
   */
  readonly settings?: Readonly<Record<string, TomlValue>> | undefined;
  /** Keys that this version does not know, kept when the file is rewritten. */
  readonly extra: Readonly<Record<string, TomlValue>>;
}
