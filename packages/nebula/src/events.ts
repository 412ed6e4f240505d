import type { RunEvent } from "@quasar/runs";
import type { AgentQuestion } from "./question.ts";

/** Why an engine stopped. */
export type StopReason =
  /** Every phase has landed, or had nothing to land. */
  | "done"
  /** It was to land what is approved and to have nobody work, and all of that has landed. */
  | "landed"
  /** Some have failed, or were skipped since others have. */
  | "failed"
  /** Some wait for a person, or for the branch. */
  | "waiting"
  /** A limit is too small for a phase to begin or continue. */
  | "budget"
  /** The branch fails the verification by itself: no phase is to blame. */
  | "red_base"
  /** An agent's usage limit: the same command works later. */
  | "limit"
  | "interrupted";

/**
 * `flaky`: a command has failed, and passed at the repetition. `known`: there was a receipt. `accepted`: what fails has
 * failed before, and a person has accepted it.
 */
export type VerificationOutcome = "passed" | "failed" | "flaky" | "known" | "accepted";

/** What happens to a nebula and is kept in its journal. Texts in it are not cleaned. */
export type NebulaEvent =
  | { readonly type: "nebula_begun"; readonly id: string; readonly base: string }
  /** Another engine works on a nebula that has begun. */
  | { readonly type: "engine_begins" }
  | {
      /** An engine that was killed leaves none. */
      readonly type: "engine_ends";
      /** `error`: of the engine itself, and no phase's. */
      readonly end: StopReason | "error";
      /** Of the error; `""`: there was none. */
      readonly message: string;
    }
  | {
      readonly type: "phase_begun";
      readonly phase: string;
      readonly attempt: number;
      readonly runId: string;
    }
  | {
      readonly type: "phase_approved";
      readonly phase: string;
      readonly attempt: number;
      readonly tip: string;
      /** Whether an update has given the phase another text, which came too late for this attempt. */
      readonly isOutdated?: boolean | undefined;
    }
  | {
      readonly type: "candidate_made";
      readonly phase: string;
      readonly onto: string;
      readonly candidate: string;
    }
  | {
      readonly type: "verification";
      readonly phase: string;
      readonly tree: string;
      readonly outcome: VerificationOutcome;
    }
  | {
      /** Of the branch by itself: where it begins, and where somebody else has committed. */
      readonly type: "base_verified";
      readonly tip: string;
      readonly outcome: VerificationOutcome;
      readonly findings: readonly string[];
      /** Whether its work tree could not be set up, which nobody can accept. */
      readonly failsSetUp?: boolean | undefined;
    }
  | {
      readonly type: "phase_landed";
      readonly phase: string;
      readonly candidate: string;
      readonly verified: boolean;
    }
  | { readonly type: "landing_repeated"; readonly phase: string; readonly candidate: string }
  | { readonly type: "base_moved"; readonly phase: string; readonly tip: string }
  | { readonly type: "phase_unchanged"; readonly phase: string }
  /** It waited for its budget, and has enough now. */
  | { readonly type: "phase_funded"; readonly phase: string }
  | {
      readonly type: "rework";
      readonly phase: string;
      readonly attempt: number;
      readonly findings: readonly string[];
    }
  | {
      readonly type: "agent_limited";
      readonly phase: string;
      readonly agent: string;
      /** RFC 3339: when it is tried again. */
      readonly until: string;
      /** Of the turn that met the limit; `""`: it was on record when this engine came to the phase. */
      readonly message: string;
    }
  | {
      readonly type: "outside_scope";
      readonly phase: string;
      readonly paths: readonly string[];
    }
  | {
      readonly type: "decision";
      readonly phase: string;
      readonly attempt: number;
      readonly verb: "approve" | "reject" | "retry" | "skip";
      readonly reason: string;
      /** Whether the run of the attempt continues; else a retry begins anew. */
      readonly isResumed?: boolean | undefined;
    }
  /** No phase begins before a person has approved the plan. */
  | { readonly type: "plan_waits"; readonly isRejected: boolean; readonly reason: string }
  | {
      readonly type: "plan_decision";
      readonly verb: "approve" | "reject";
      readonly reason: string;
    }
  | ({ readonly type: "question_asked" } & Pick<
      AgentQuestion,
      "phase" | "id" | "role" | "cycle" | "kind" | "summary" | "detail" | "options"
    >)
  | {
      readonly type: "question_answered";
      readonly phase: string;
      /** The question's. */
      readonly id: string;
      readonly text: string;
      /** How an agent that has answered names itself. @default a person has answered */
      readonly agent?: string | undefined;
    }
  /** Nobody has answered it within `hail_timeout`. */
  | {
      readonly type: "question_expired";
      readonly phase: string;
      readonly id: string;
      readonly summary: string;
    }
  | {
      readonly type: "phase_failed" | "phase_skipped" | "phase_waits";
      readonly phase: string;
      readonly reason: string;
    }
  | {
      readonly type: "engine_stops" | "engine_pauses" | "engine_continues";
      readonly reason: string;
    }
  | {
      readonly type: "base_update";
      readonly phase: string;
      readonly commit: string;
      /** What a person calls it. */
      readonly name: string;
    }
  /** The remote has all that has landed. */
  | { readonly type: "branch_pushed"; readonly remote: string; readonly tip: string }
  | { readonly type: "push_refused"; readonly reason: string }
  | { readonly type: "nebula_updated"; readonly phases: readonly string[] }
  | {
      readonly type: "warning";
      readonly phase?: string | undefined;
      /** A command in it has the last line. */
      readonly message: string;
    };

/** What a follower of an engine receives: the nebula's events, and those of each phase's run. */
export type Told =
  | NebulaEvent
  | { readonly type: "run_event"; readonly phase: string; readonly event: RunEvent };
