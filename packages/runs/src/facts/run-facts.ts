import type { CheckpointFinding, FindingStatus } from "@quasar/checkpoint";
import type { TurnRecovery } from "@quasar/loop";
import type { RunStatus } from "../look/summary.ts";
import type { TurnSummary } from "../look/turns.ts";
import type { NextStep } from "../next-step.ts";
import type { Spending } from "../text/format.ts";

/**
 * All that is shown of a run, made from its checkpoint and its journal: plain data, the same for the same files. Texts
 * are as agents and people wrote them, with secrets taken out, and are not cleaned for a terminal or a page. Costs are
 * US dollars, times RFC 3339 (`""`: unknown), durations milliseconds.
 *
 * @see SPEC.md, "Facts"
 */
export interface RunFacts {
  readonly id: string;
  readonly task: string;
  readonly status: RunStatus;
  /** Why it stopped or cannot be read; `""` otherwise. */
  readonly reason: string;
  /** The agents' names; `""`: not known. */
  readonly coder: string;
  readonly reviewer: string;
  readonly cycle: number;
  readonly maxCycles: number;
  /** The commit that it began at, and the one that it was at when it was saved last. */
  readonly baseSha: string;
  readonly headSha: string;
  /** The run that it was forked from; `""`: none. */
  readonly forkedFrom: string;
  /** Of the first and the last record of its journal. */
  readonly startedAt: string;
  readonly lastAt: string;
  /** Of the reviewer in the cycle that it is at; `undefined`: there is none yet. */
  readonly verdict: VerdictFacts | undefined;
  readonly money: MoneyFacts;
  readonly recovery: RecoveryFacts;
  /** Oldest first. */
  readonly turns: readonly TurnFacts[];
  /** Oldest first. */
  readonly cycles: readonly CycleFacts[];
  /** In the order in which they were found. */
  readonly findings: readonly FindingFacts[];
  /** Oldest first. */
  readonly commits: readonly CommitFacts[];
  /** The command that began it, and each that continued it, oldest first. */
  readonly lives: readonly LifeFacts[];
  /** What happened, oldest first: one line each. */
  readonly events: readonly EventFacts[];
  /** Damage of its files, in words. */
  readonly problems: readonly string[];
  /** What helps, most likely first. */
  readonly next: readonly NextStep[];
}

/** What a reviewer said. */
export interface VerdictFacts {
  readonly isApproved: boolean;
  /** As the reviewer says it: usually `high`, `medium` or `low`; `""`: not said. */
  readonly satisfaction: string;
  readonly risk: string;
  readonly needsHumanReview: boolean;
  readonly summary: string;
}

/** What was spent: `spentUsd` counts against the limit, `unknownUsd` of it is reserved only. */
export interface MoneyFacts extends Spending {
  /** What is known to have been spent. */
  readonly knownUsd: number;
  /**
   * Set apart beyond `spentUsd`: of a run, the most that the turn may have cost whose end is not known; of a nebula and its
   * phases, for what is worked on.
   */
  readonly reservedUsd: number;
  /** 0: no limit. */
  readonly maxUsd: number;
  readonly byRole: readonly ShareFacts[];
  readonly byCycle: readonly ShareFacts[];
}

/** What crashes have cost. */
export interface RecoveryFacts {
  /** Lives that were killed. */
  readonly crashCount: number;
  /** Commands that continued it. */
  readonly resumeCount: number;
  /** Turns that had cost something, and were started again after a crash; and what those had cost, reservations included. */
  readonly boughtTwiceCount: number;
  readonly boughtTwiceUsd: number;
}

/** A part of what was spent. */
export interface ShareFacts {
  /** A role, a cycle (`cycle 2`), a phase's id, or `in no turn`: what is in the total only. */
  readonly name: string;
  readonly knownUsd: number;
  readonly unknownUsd: number;
  readonly turnCount: number;
}

/** A turn of an agent. */
export interface TurnFacts extends TurnSummary {
  /** `""` while it is open, or where nobody recorded it. */
  readonly endedAt: string;
  /** What later lives found of it, oldest first; none: it was never cut off. */
  readonly recoveries: readonly TurnRecovery[];
  /** What its agent was not allowed to do. */
  readonly denied: readonly string[];
  /** What a coder said of its work at its end. */
  readonly summary: string;
}

export interface CycleFacts {
  readonly cycle: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly checks: readonly CheckFacts[];
  /** `undefined`: it was not reviewed to its end. */
  readonly isApproved: boolean | undefined;
}

/** A lint or required check that ended. */
export interface CheckFacts {
  readonly check: "lint" | "filter";
  /** The command. */
  readonly name: string;
  readonly isPassed: boolean;
  /** The end of what it printed. */
  readonly output: string;
  readonly at: string;
}

/** A finding, and what became of it. */
export interface FindingFacts extends CheckpointFinding {
  /** How it stood after each review that changed that, oldest first. */
  readonly life: readonly { readonly cycle: number; readonly status: FindingStatus }[];
}

export interface CommitFacts {
  readonly sha: string;
  readonly cycle: number;
  readonly turnId: string;
  /** Who changed what it holds; `""`: the turn's agent. */
  readonly by: string;
  readonly fileCount: number | undefined;
  readonly added: number | undefined;
  readonly removed: number | undefined;
  readonly at: string;
}

/** One command that worked on the run. */
export interface LifeFacts {
  readonly startedAt: string;
  /** Of one that was killed: its last sign of life. `""` while it works. */
  readonly endedAt: string;
  /** `killed`: it left no word; `working`: it still runs; else the outcome it noted. */
  readonly end: string;
  readonly message: string;
  /** What it found of the turn of the life before: nothing of the first life. */
  readonly recovered: { readonly turnId: string; readonly how: TurnRecovery } | undefined;
}

/** One line of what happened. */
export interface EventFacts {
  readonly at: string;
  /** The journal's type. */
  readonly type: string;
  /** `""`: of the whole run. */
  readonly turnId: string;
  /** One line, as `quasar log` words it, cleaned for a terminal; times in it are RFC 3339. */
  readonly text: string;
}
