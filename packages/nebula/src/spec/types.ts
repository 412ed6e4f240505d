/** When a person is asked: never, never but shown, after each phase, before the first one too. */
export const GATES = ["trust", "watch", "review", "approve"] as const;
export type Gate = (typeof GATES)[number];

/** What a nebula's folder says, whole and without contradictions. */
export interface NebulaSpec {
  readonly name: string;
  readonly description: string;
  readonly defaults: PhaseDefaults;
  readonly execution: Execution;
  readonly context: ProjectContext;
  readonly dependencies: Requirements;
  /** In the order of the bytes of their files' names. */
  readonly phases: readonly PhaseSpec[];
}

/** What a phase has that does not say so itself; texts that are empty and a priority of 0 say nothing. */
export interface PhaseDefaults {
  readonly type: string;
  readonly priority: number;
  readonly labels: readonly string[];
  readonly assignee: string;
}

/** How the phases are worked on and landed. `undefined`: left to the caller that starts it. */
export interface Execution {
  /** How many are worked on at once. */
  readonly maxWorkers: number | undefined;
  readonly maxReviewCycles: number | undefined;
  /** Of each phase. */
  readonly maxBudgetUsd: number | undefined;
  /** Of all of them. */
  readonly totalBudgetUsd: number | undefined;
  /** Whether a person has typed it: no cap holds for it. @default false */
  readonly isTotalTyped?: true | undefined;
  readonly maxContextTokens: number;
  readonly model: string | undefined;
  readonly gate: Gate;
  /** How long an agent's question waits for its answer; 0: for as long as it takes. */
  readonly hailTimeoutMs: number;
  readonly autoDecompose: boolean;
  readonly routing: Routing;
  /** Commands that make a new work tree ready. */
  readonly setup: readonly string[];
  /** Files whose change asks for another set-up; `undefined`: lockfiles and manifests at the root. */
  readonly setupInputs: readonly string[] | undefined;
  /** Files of the user's tree that each new work tree gets. */
  readonly copy: readonly string[];
  /** Commands that have to pass on the merged tree before a phase lands. */
  readonly verify: readonly string[];
  readonly verifyRetries: number;
  readonly verifyClean: "untracked" | "all";
  readonly mergeOrder: "ready" | "plan";
  readonly maxReworks: number;
  /** How long a phase may keep others from landing, from its second rework on. */
  readonly reworkHoldMs: number;
  readonly scopePolicy: "advise" | "enforce";
  readonly minFreeBytes: number;
  readonly timeoutMs: number;
  readonly coder: string | undefined;
  readonly reviewer: string | undefined;
  /** Commands that have to pass before a review. */
  readonly checks: readonly string[];
}

/** Chooses a model by how complex a phase is, where nobody names one. */
export interface Routing {
  readonly enabled: boolean;
  /** By rising score. */
  readonly tiers: readonly ModelTier[];
}

export interface ModelTier {
  readonly name: string;
  readonly model: string;
  /** From 0 to 1, itself included. */
  readonly maxScore: number;
}

/** What every phase's prompt begins with, and where its agents work. */
export interface ProjectContext {
  readonly repo: string;
  /** From the root of the repository; `"."`: the root. */
  readonly workingDir: string;
  readonly goals: readonly string[];
  readonly constraints: readonly string[];
}

export interface Requirements {
  readonly requiresBeads: readonly string[];
  /** Names of nebulae that have landed before this one begins. */
  readonly requiresNebulae: readonly string[];
}

/** One phase: a task of its own, which becomes one run of the loop. */
export interface PhaseSpec extends PhaseFile {
  /** Those that its file names and those that say that they block it: without doubles, in the order of the phases. */
  readonly dependsOn: readonly string[];
}

/** What one file says of its phase, before defaults and other files are considered. */
export interface PhaseFile {
  readonly id: string;
  /** The name of its file. */
  readonly file: string;
  readonly title: string;
  readonly type: string;
  /** The higher, the earlier. */
  readonly priority: number;
  readonly labels: readonly string[];
  readonly assignee: string;
  readonly dependsOn: readonly string[];
  /** Phases that have to wait for this one. */
  readonly blocks: readonly string[];
  readonly maxReviewCycles: number | undefined;
  readonly maxBudgetUsd: number | undefined;
  readonly model: string | undefined;
  readonly gate: Gate | undefined;
  /** Paths and patterns of what it may change; none: anything. */
  readonly scope: readonly string[];
  readonly allowScopeOverlap: boolean;
  readonly checks: readonly string[];
  readonly coder: string | undefined;
  readonly reviewer: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly setup: readonly string[] | undefined;
  readonly decomposed: boolean;
  readonly autoDecompose: boolean | undefined;
  /** What to do, in Markdown. */
  readonly body: string;
}

/** What is wrong with a nebula's files, or odd. */
export interface SpecProblem {
  readonly category: ProblemCategory;
  readonly severity: "error" | "warning";
  /** The name of the file. */
  readonly file: string;
  readonly phaseId?: string | undefined;
  /** The key as the file has it: `execution.gate`. */
  readonly field?: string | undefined;
  /** One sentence for a person. It may quote what the file says. */
  readonly message: string;
}

export const PROBLEM_CATEGORIES = [
  "missing_field",
  "duplicate_id",
  "unknown_dep",
  "cycle",
  "invalid_gate",
  "scope_overlap",
  "bounds_violation",
  "invalid_routing",
  "empty_body",
  "invalid_id",
  "unknown_key",
  "invalid_value",
  "invalid_path",
  "syntax",
  "unreadable",
  "too_many",
  "not_a_phase",
  "unsupported",
] as const;

export type ProblemCategory = (typeof PROBLEM_CATEGORIES)[number];
