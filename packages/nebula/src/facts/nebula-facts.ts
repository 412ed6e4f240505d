import type { EventFacts, LifeFacts, MoneyFacts, RunFacts } from "@quasar/runs/facts";
import type { VerificationOutcome } from "../events.ts";
import type { PhaseAttempt } from "../state/attempts.ts";
import type { NebulaProgress, PhaseStatus, PlanVerdict, Question } from "../state/state.ts";

/**
 * All that is shown of a nebula, made from its state, its journal and its phases' runs: plain data, the same for the
 * same files. Texts are not cleaned. Costs are US dollars, times RFC 3339 (`""`: unknown).
 */
export interface NebulaFacts extends NebulaProgress {
  readonly id: string;
  readonly name: string;
  readonly branch: string;
  readonly baseSha: string;
  /** The commit that has all that has landed. */
  readonly tipSha: string;
  /** `working`: an engine is at work; `done`: all phases landed or had nothing to land; `stopped`: neither. */
  readonly status: "working" | "paused" | "stopped" | "done";
  readonly startedAt: string;
  readonly lastAt: string;
  readonly planVerdict: PlanVerdict;
  /** What a person has to do, the most urgent first. */
  readonly needs: readonly NeedFacts[];
  readonly money: MoneyFacts & {
    /** Set apart for phases that are worked on, beyond what they have spent. */
    readonly reservedUsd: number;
    readonly byPhase: MoneyFacts["byRole"];
  };
  /** In the order of the plan. */
  readonly phases: readonly PhaseFacts[];
  /** In the order of the branch. */
  readonly landings: readonly LandingFacts[];
  /** Ids of the phases that are approved and wait to land, first the next. */
  readonly lane: readonly string[];
  /** The engines that worked on it, oldest first. */
  readonly lives: readonly LifeFacts[];
  readonly events: readonly (EventFacts & {
    /** `""`: of the whole nebula. */ readonly phase: string;
  })[];
}

/** What a person has to do. */
export interface NeedFacts {
  /** `plan`: the whole plan waits; else a phase's question, or one that an agent asks, or a phase that failed. */
  readonly kind: "plan" | Question | "agent" | "failed";
  /** `""`: the whole nebula. */
  readonly phase: string;
  /** One line. */
  readonly text: string;
  /** Of an agent's question; `""` otherwise. */
  readonly questionId: string;
  /** Digest of the change that it is about; `""` without one. */
  readonly digest: string;
}

export interface PhaseFacts {
  readonly id: string;
  readonly title: string;
  readonly status: PhaseStatus;
  /** Whether an agent works on it now. */
  readonly isWorkedOn: boolean;
  readonly reason: string;
  readonly dependsOn: readonly string[];
  /** From 0: those that need nothing. */
  readonly wave: number;
  readonly attempts: readonly PhaseAttempt[];
  readonly money: MoneyFacts;
  /** Facts of its runs, oldest first. */
  readonly runs: readonly RunFacts[];
  readonly question: Question | "";
  readonly digest: string;
  readonly tipSha: string;
  /** The commit that landed; `""`: none. */
  readonly landedSha: string;
  readonly landedAt: string;
  /** RFC 3339: when its agent's usage limit is lifted; `""`: no limit. */
  readonly retryAt: string;
}

/** A phase's change on the branch. */
export interface LandingFacts {
  readonly phase: string;
  /** From 1. */
  readonly number: number;
  readonly sha: string;
  /** The tree that was verified, which is the tree of `sha`. */
  readonly tree: string;
  readonly onto: string;
  readonly isVerified: boolean;
  /** Outcomes of the verifications of this phase's candidates, oldest first. */
  readonly verifications: readonly {
    readonly tree: string;
    readonly outcome: VerificationOutcome;
    readonly at: string;
  }[];
  readonly at: string;
}
