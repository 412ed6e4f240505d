import type { Checkpoint, CheckpointFinding } from "@quasar/checkpoint";
import { RunsError } from "./errors.ts";
import type { Fact } from "./journal/fact.ts";
import { nameOf, standingsOf } from "./journal/standings.ts";

export interface ForkOptions {
  /** Id of the new run. */
  readonly runId: string;
  /** The cycle after whose end the new run continues; `undefined`: where the run stands. */
  readonly at: number | undefined;
  /** RFC 3339. */
  readonly createdAt: string;
  /** What the run's journal holds: how findings stood when a cycle ended. @default nothing */
  readonly facts?: readonly Fact[] | undefined;
}

/**
 * A run that continues from a state of another one: with its commits, its findings and its task, and
 * with an account of its own. Work that was not committed is not in it.
 *
 * @throws {RunsError} `ERR_USAGE` for a cycle that is not whole; `ERR_NOTHING_TO_RESUME` where there is
 *   nothing left to do.
 */
export function forkOf(checkpoint: Checkpoint, options: ForkOptions): Checkpoint {
  const { runId, at, createdAt, facts = [] } = options;
  const state = at === undefined ? asItStands(checkpoint) : atCycle(checkpoint, at, facts);
  return {
    ...state,
    runId,
    createdAt,
    taskBeadId: `task-${runId}`,
    revision: 0,
    totalCostUsd: 0,
    unknownCostUsd: 0,
    hasUnreportedCosts: false,
    neededBudgetUsd: 0,
    ledger: [],
    failure: "",
    retryAt: "",
    commitRefused: "",
    commitFixes: 0,
    commitSubject: "",
    untouchablePaths: [],
    protectedPaths: [],
    checkedTree: "",
    checkedWith: "",
    reviewedTree: "",
    childBeadIds: [],
    turn: undefined,
    outcome: undefined,
  };
}

/** The newest state whose work is committed. */
function asItStands(checkpoint: Checkpoint): Checkpoint {
  switch (checkpoint.phase) {
    case "approved":
      throw approved(checkpoint);
    case "idle":
    case "bead_created":
    case "coding":
    case "error":
      return { ...checkpoint, phase: "bead_created", cycle: Math.max(1, checkpoint.cycle) };
    case "code_complete":
    case "linting":
    case "filtering":
    case "reviewing":
      return { ...checkpoint, phase: "code_complete" };
    case "review_complete":
    case "resolving_issues":
      return checkpoint;
  }
}

/**
 * The state at the end of a cycle. What later reviews said of earlier findings is undone where the
 * journal has how they stood.
 */
function atCycle(checkpoint: Checkpoint, at: number, facts: readonly Fact[]): Checkpoint {
  const { phase, cycle, cycleCommits, filterHistory, allFindings } = checkpoint;
  if (phase === "approved" && at === cycle) throw approved(checkpoint);
  const isWhole =
    phase === "review_complete" || phase === "resolving_issues" || phase === "approved";
  const last = isWhole ? cycle : cycle - 1;
  const gitSha = cycleCommits[at - 1];
  if (at < 1 || at > last || gitSha === undefined) throw notWhole(checkpoint, at, last);
  const ofCycle = allFindings.filter((finding) => finding.cycle === at).map(found);
  const standings = standingsOf(facts, at);
  const earlier = allFindings
    .filter((finding) => finding.cycle < at)
    .map((finding) => ({ ...finding, status: standings.get(nameOf(finding)) ?? finding.status }));
  return {
    ...checkpoint,
    gitSha,
    cycle: at,
    phase: "resolving_issues",
    findings: ofCycle,
    allFindings: [...earlier, ...ofCycle],
    cycleCommits: cycleCommits.slice(0, at),
    filterHistory: filterHistory.slice(0, at),
    coderOutput: "",
    reviewOutput: "",
    lintOutput: "",
    filterOutput: "",
    filterCheckName: "",
  };
}

/** A finding as it was when its cycle ended: no later review had judged it yet. */
function found(finding: CheckpointFinding): CheckpointFinding {
  return { ...finding, status: "found" };
}

function approved({ runId, cycle }: Checkpoint): RunsError {
  const message = `run ${runId} is approved: there is nothing left to do`;
  return new RunsError("ERR_NOTHING_TO_RESUME", message, {
    next: [cycle > 1 ? { do: "fork", runId, options: { at: cycle - 1 } } : { do: "start" }],
  });
}

function notWhole({ runId }: Checkpoint, at: number, last: number): RunsError {
  const which = last < 1 ? "it has none yet" : `the last one is cycle ${last}`;
  return new RunsError("ERR_USAGE", `run ${runId} has no cycle ${at} that is whole: ${which}`, {
    next: [{ do: "fork", runId, options: last < 1 ? {} : { at: last } }],
  });
}
