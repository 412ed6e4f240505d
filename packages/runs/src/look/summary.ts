import { type Checkpoint, CheckpointError, type CheckpointFinding } from "@quasar/checkpoint";
import { upToCent } from "@quasar/loop/internal";
import { type Holder, wayToStop } from "../driving/lock.ts";
import { messageOf } from "../errors.ts";
import type { NextOptions, NextStep } from "../next-step.ts";
import { knownUsd, shellWord } from "../text/format.ts";
import { storedUnreportedCosts } from "../store.ts";

/**
 * `running`: a runner works on it now. `interrupted`: its runner is gone without a word, or was told
 * to stop. `stopped`: its runner ended it, not approved. `abandoned`: its user gave it up. `damaged`:
 * nothing of it can be read.
 */
export type RunStatus =
  | "running"
  | "interrupted"
  | "stopped"
  | "approved"
  | "abandoned"
  | "damaged";

export interface OpenTurn {
  readonly role: string;
  readonly reservedUsd: number;
  /** US dollars that it may spend; 0: no limit. */
  readonly allowanceUsd: number;
  /** Whether its agent is not known to report what a turn costs. */
  readonly unmetered: boolean;
  /** US dollars that its agent has told of so far; they count once it has ended. `undefined`: of none. */
  readonly reportedUsd: number | undefined;
  /** The process that runs its agent, where it still works although nobody follows it. */
  readonly alivePid: number | undefined;
}

/** A run as its checkpoint tells it. Text in it is not cleaned yet. */
export interface RunSummary {
  readonly id: string;
  readonly status: RunStatus;
  /** Who works on it now. */
  readonly runner: Holder | undefined;
  readonly task: string;
  /** Why it was stopped or cannot be read; `""` otherwise. */
  readonly reason: string;
  readonly cycle: number;
  readonly maxCycles: number;
  readonly phase: string;
  /** The turn whose end is not known and whose cost is not counted yet, if there is one. */
  readonly openTurn: OpenTurn | undefined;
  /** What counts against the limit: `costUsd` and `unknownUsd`. */
  readonly spentUsd: number;
  /** What is known to have been spent. */
  readonly costUsd: number;
  /** What was spent at most by turns whose cost is not known. */
  readonly unknownUsd: number;
  /** Whether the cost of turns without a limit was not reported. */
  readonly hasUnreportedCosts: boolean;
  /** 0 is no limit. */
  readonly maxBudgetUsd: number;
  /** All that are not known to be fixed. */
  readonly findings: readonly CheckpointFinding[];
  readonly baseSha: string;
  readonly commits: readonly string[];
  /** RFC 3339: when the usage limit is lifted that stopped it; `""` when none did. */
  readonly retryAt: string;
  /** RFC 3339; `""` where unknown. */
  readonly savedAt: string;
  /** What helps, most likely first. */
  readonly next: readonly NextStep[];
}

/** What a line of a list says of a run. */
export type ListedRun = Pick<
  RunSummary,
  "id" | "status" | "task" | "reason" | "cycle" | "spentUsd" | "unknownUsd" | "savedAt"
>;

/** Whether it is for `resume` to continue with. */
export function isUnfinished({ status }: Pick<RunSummary, "status">): boolean {
  return status === "interrupted" || status === "stopped";
}

/** Whether nothing continues it any more. */
export function hasEnded({ status }: Pick<RunSummary, "status">): boolean {
  return status === "approved" || status === "abandoned";
}

/** What a summary takes from elsewhere than the checkpoint. */
export interface Circumstances {
  readonly status: RunStatus;
  readonly runner: Holder | undefined;
  /** Why its last runner stopped, where it could say so. */
  readonly reason: string;
  /** What a resume takes beside higher limits. */
  readonly more: NextOptions;
  /** Whether the work tree was what stopped it. @default false */
  readonly isOfTree?: boolean | undefined;
  /** Whether an agent of it works although it has no runner. */
  readonly isAlive: boolean;
  /** What the agent of a turn whose end is not known has told that it cost. @default nothing */
  readonly reportedUsd?: number | undefined;
}

/** The command that shows what a run has committed. */
export function logCommand(baseCommitSha: string): string {
  return `git log --patch ${shellWord(baseCommitSha.slice(0, 10))}..`;
}

export function summaryOf(
  id: string,
  { status, runner, reason, more, isOfTree, isAlive, reportedUsd }: Circumstances,
  checkpoint: Checkpoint,
): RunSummary {
  const { turn, cycle, maxCycles, maxBudgetUsd } = checkpoint;
  const { totalCostUsd: spentUsd, unknownCostUsd: unknownUsd, baseCommitSha: baseSha } = checkpoint;
  const { reservedUsd = 0, allowanceUsd = 0, unmetered = false } = turn ?? {};
  const isOpen = turn?.status === "started" && checkpoint.failure === "";
  const alivePid = isAlive ? turn?.pid : undefined;
  const openTurn = isOpen
    ? { role: turn.role, reservedUsd, allowanceUsd, unmetered, reportedUsd, alivePid }
    : undefined;
  return {
    id,
    status,
    runner,
    task: checkpoint.taskTitle,
    reason: status === "stopped" ? reason : "",
    cycle,
    maxCycles,
    phase: checkpoint.phase,
    openTurn,
    spentUsd,
    costUsd: knownUsd({ spentUsd, unknownUsd }),
    unknownUsd,
    hasUnreportedCosts: storedUnreportedCosts(checkpoint),
    maxBudgetUsd,
    findings: openFindings(checkpoint),
    baseSha,
    commits: [...new Set(checkpoint.cycleCommits)].filter((sha) => sha !== baseSha),
    retryAt: checkpoint.failure === "" ? "" : checkpoint.retryAt,
    savedAt: checkpoint.createdAt,
    next: nextOf(id, { status, runner, more, isOfTree }, checkpoint),
  };
}

/** What is not known to be fixed. */
function openFindings(checkpoint: Checkpoint): readonly CheckpointFinding[] {
  return latestFindings(checkpoint).filter(({ status }) => status !== "fixed");
}

/** Each finding as it was last seen, however often it was found. */
export function latestFindings({ allFindings }: Checkpoint): readonly CheckpointFinding[] {
  return [...new Map(allFindings.map((finding) => [finding.id, finding])).values()];
}

/** What there is to say of a run that cannot be read. */
export function damagedSummary(id: string, error: unknown): RunSummary {
  const reason = messageOf(error);
  return unreadable(id, reason, damagedNext(id, error));
}

/** What can be done about a checkpoint that cannot be read. */
export function damagedNext(id: string, error: unknown): readonly NextStep[] {
  const isOther = error instanceof CheckpointError && error.code === "ERR_INCOMPATIBLE_VERSION";
  if (isOther) return [{ note: "use the version that wrote it" }];
  return [
    { do: "resume", runId: id, note: "quarantines it" },
    { do: "watch", runId: id, note: "its event log" },
  ];
}

/** What there is to say of a run whose checkpoint was damaged, where nothing else is left of it. */
export function quarantinedSummary(id: string): RunSummary {
  return unreadable(id, QUARANTINED, quarantinedNext(id));
}

export const QUARANTINED = "its checkpoint was damaged and is quarantined";

export function quarantinedNext(id: string): readonly NextStep[] {
  return [
    { shell: "git log -5 && git status", note: "the work itself is there" },
    { do: "watch", runId: id, note: "its event log" },
    { do: "prune", runId: id, note: "removes its files" },
  ];
}

function unreadable(id: string, reason: string, next: readonly NextStep[]): RunSummary {
  return {
    id,
    status: "damaged",
    runner: undefined,
    task: "",
    reason,
    cycle: 0,
    maxCycles: 0,
    phase: "",
    openTurn: undefined,
    spentUsd: 0,
    costUsd: 0,
    unknownUsd: 0,
    hasUnreportedCosts: false,
    maxBudgetUsd: 0,
    findings: [],
    baseSha: "",
    commits: [],
    retryAt: "",
    savedAt: "",
    next,
  };
}

function nextOf(
  id: string,
  {
    status,
    runner,
    more,
    isOfTree = false,
  }: Pick<Circumstances, "status" | "runner" | "more" | "isOfTree">,
  checkpoint: Checkpoint,
): readonly NextStep[] {
  switch (status) {
    case "running":
      return [{ do: "watch", runId: id, options: { follow: true } }, wayToStop(runner)];
    case "approved":
      return [{ shell: logCommand(checkpoint.baseCommitSha) }];
    case "interrupted":
    case "stopped": {
      const look: NextStep = { do: "plan", runId: id, note: "says what stands in the way" };
      return [...(isOfTree ? [look] : []), resumeStep(id, checkpoint, more)];
    }
    case "abandoned":
      return [{ do: "fork", runId: id, note: "starts a new run from it" }];
    case "damaged":
      return [];
  }
}

/** What continues a run, with the limits raised that have stopped it. @param more - What it takes, too. */
export function resumeStep(
  runId: string,
  checkpoint: Checkpoint,
  more: NextOptions = {},
): NextStep {
  const { cycle, maxCycles, phase, totalCostUsd, maxBudgetUsd } = checkpoint;
  const { neededBudgetUsd, neededTurnBudgetUsd } = checkpoint;
  const isSpent = maxBudgetUsd > 0 && totalCostUsd >= maxBudgetUsd;
  const isCycleOver = phase === "review_complete" || phase === "resolving_issues";
  const areCyclesOver = cycle >= maxCycles && isCycleOver;
  // A run that was cut off has not noted what it needs.
  const noted = neededBudgetUsd > maxBudgetUsd ? neededBudgetUsd : 0;
  const needed = noted > 0 || !isSpent ? noted : totalCostUsd + maxBudgetUsd;
  const limits = {
    ...(needed > 0 && { maxBudgetUsd: upToCent(needed) }),
    ...(neededTurnBudgetUsd > 0 && { maxTurnBudgetUsd: upToCent(neededTurnBudgetUsd) }),
    ...(areCyclesOver && { maxCycles: maxCycles + 2 }),
  };
  return { do: "resume", runId, options: { ...limits, ...more } };
}
