import type {
  EventFacts,
  LifeFacts,
  MoneyFacts,
  RecoveryFacts,
  RunFacts,
} from "@quasar/runs/facts";
import type { Shortage } from "../engine/budget.ts";
import type { NebulaObstacle } from "../engine/find-obstacles.ts";
import type { VerificationOutcome } from "../events.ts";
import type { AgentQuestion } from "../question.ts";
import type { PhaseAttempt } from "../state/attempts.ts";
import type { NebulaProgress, PhaseStatus, PlanVerdict, Question } from "../state/state.ts";
import type { Standing } from "./standing.ts";

/**
 * All that is shown of a nebula, made from its state, its journal and its phases' runs: plain data, the same for the
 * same files. Texts are not cleaned, but for those of events. Costs are US dollars, times RFC 3339 (`""`: unknown).
 */
export interface NebulaFacts extends NebulaProgress {
  readonly id: string;
  readonly name: string;
  /** Absolute path of the folder that it was begun or last resumed from. */
  readonly dir: string;
  readonly branch: string;
  readonly baseSha: string;
  /** The commit that has all that has landed. */
  readonly tipSha: string;
  /** `working`: an engine is at work; `done`: all phases landed or had nothing to land; `stopped`: neither. */
  readonly status: "working" | "paused" | "stopped" | "done";
  /** The process of the engine that works on it; `undefined`: none does. */
  readonly pid: number | undefined;
  /** Who works on it, where several machines do. @default this one alone */
  readonly fleet?: FleetFacts | undefined;
  /** That a person has asked that engine to stop, and it has not yet; `undefined`: nobody has. */
  readonly stops: { readonly isNow: boolean } | undefined;
  /** The phases whose agents work although no engine does: a resume reattaches to them. */
  readonly agents: readonly string[];
  /** The commands that together end its pause; none: it is not paused. */
  readonly pauseEnds: readonly string[];
  readonly startedAt: string;
  readonly lastAt: string;
  readonly planVerdict: PlanVerdict;
  /** Why its plan was rejected; `""` otherwise. */
  readonly planReason: string;
  /** What became of the push of its branch; `undefined`: nobody has asked for one. */
  readonly push: PushFacts | undefined;
  /** Whether another nebula was begun in its place. */
  readonly isArchived: boolean;
  /** What a person has to do, the most urgent first. */
  readonly needs: readonly NeedFacts[];
  /** Limits that are too small for what could begin or continue; none where the limits are not known. */
  readonly shortages: readonly Shortage[];
  /** What stands in the way of an engine; none where git was not asked. */
  readonly obstacles: readonly NebulaObstacle[];
  readonly money: MoneyFacts & {
    readonly byPhase: MoneyFacts["byRole"];
  };
  /** In the order of the plan. */
  readonly phases: readonly PhaseFacts[];
  /** In the order of the branch. */
  readonly landings: readonly LandingFacts[];
  /** Ids of the phases that are approved and wait to land, first the next. */
  readonly lane: readonly string[];
  /** What people have decided, oldest first. */
  readonly decisions: readonly DecisionFacts[];
  /** What agents have asked, oldest first. */
  readonly questions: readonly QuestionFacts[];
  /** Those that a person can answer now, the most urgent first, as their files have them. */
  readonly openQuestions: readonly AgentQuestion[];
  /** The engines that worked on it, oldest first. */
  readonly lives: readonly LifeFacts[];
  /** Crashes and resumes are of its engines, turns that were paid for twice of its phases' runs. */
  readonly recovery: RecoveryFacts;
  readonly events: readonly NebulaEventFacts[];
  /** Damage of its files, in words. */
  readonly problems: readonly string[];
}

/** What is only of a nebula that several machines work on. */
export interface FleetFacts {
  /** Whether one of them works on it now. */
  readonly isWorking: boolean;
  /** The one that decides what lands; `""`: none does now. */
  readonly lane: string;
}

export interface NebulaEventFacts extends EventFacts {
  /** `""`: of the whole nebula. */
  readonly phase: string;
}

export type PushFacts =
  | { readonly status: "asked" }
  | { readonly status: "pushed"; readonly remote: string; readonly tip: string }
  | { readonly status: "refused"; readonly reason: string };

/** What a person has to do. */
export interface NeedFacts {
  /** `plan`: the whole plan waits; else a phase's question, or one that an agent asks, or a phase that failed. */
  readonly kind: "plan" | Exclude<Question, "answer"> | "agent" | "failed";
  /** `""`: the whole nebula. */
  readonly phase: string;
  /** Why: of any length, usually one line. */
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
  /** How it stands, in the word that every screen uses. */
  readonly standing: Standing;
  /** Whether an agent works on it now. */
  readonly isWorkedOn: boolean;
  /** The machine that works on it now; `""`: none does. @default nobody but this one works on the nebula */
  readonly machine?: string | undefined;
  /** Those that have worked on it, and the one that does, oldest first. @default as `machine` */
  readonly machines?: readonly string[] | undefined;
  /** Why it failed, was skipped or waits; why its last landing was refused. */
  readonly reason: string;
  /** Whether it only merges a commit of the base branch, and is no phase of work. */
  readonly isMerge: boolean;
  readonly dependsOn: readonly string[];
  /** From 1: those that need nothing. 0: its files do not say. */
  readonly wave: number;
  /** The attempt that it is at, from 1. */
  readonly attempt: number;
  /** Those that have begun, oldest first. */
  readonly attempts: readonly PhaseAttempt[];
  /** How often it was sent back to its agents, oldest first. */
  readonly reworks: readonly ReworkFacts[];
  /** What its engines have warned of, each once. */
  readonly warnings: readonly string[];
  readonly money: MoneyFacts;
  /** Facts of its runs, oldest first. */
  readonly runs: readonly RunFacts[];
  readonly question: Question | "";
  readonly digest: string;
  /** The commit that the attempt began at; `""`: not yet known. */
  readonly baseSha: string;
  readonly tipSha: string;
  /** The commit that landed; `""`: none. */
  readonly landedSha: string;
  readonly landedAt: string;
  /** RFC 3339: when its agent's usage limit is lifted; `""`: no limit. */
  readonly retryAt: string;
  /** The phase that lands before it, where it is approved and waits for the lane; `""`: none. */
  readonly landsAfter: string;
}

/** A phase's change on the branch. */
export interface LandingFacts {
  readonly phase: string;
  /** From 1. */
  readonly number: number;
  readonly sha: string;
  /** The tree of `sha`. */
  readonly tree: string;
  readonly onto: string;
  /** Whether all commands of the verification passed on it, and there were some. */
  readonly isVerified: boolean;
  /** Whether the tree that was verified last is the one that landed; `undefined`: none was verified. */
  readonly isVerifiedTree: boolean | undefined;
  /** Outcomes of the verifications of this phase's candidates, oldest first. */
  readonly verifications: readonly VerificationFacts[];
  readonly at: string;
}

export interface VerificationFacts {
  readonly tree: string;
  readonly outcome: VerificationOutcome;
  readonly at: string;
}

export interface ReworkFacts {
  /** The attempt that it led to. */
  readonly attempt: number;
  readonly findings: readonly string[];
  readonly at: string;
}

export interface DecisionFacts {
  /** `""`: the whole plan. */
  readonly phase: string;
  readonly verb: "approve" | "reject" | "retry" | "skip";
  /** `""`: none was given. */
  readonly reason: string;
  readonly at: string;
}

export interface QuestionFacts {
  readonly id: string;
  readonly phase: string;
  readonly role: AgentQuestion["role"];
  readonly kind: AgentQuestion["kind"];
  readonly summary: string;
  readonly askedAt: string;
  /** `expired`: nobody answered in time; `open`: neither that nor an answer is on record. */
  readonly status: "open" | "answered" | "expired";
  /** What a person answered; `""` otherwise. */
  readonly answer: string;
  /** When that was, or when its time was over. */
  readonly endedAt: string;
}
