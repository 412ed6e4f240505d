import type { AgentDenial, AgentEvent, AgentRole } from "@quasar/agents";
import type { Committed } from "@quasar/git";
import type { Finding } from "./review/finding.ts";
import type { ReviewReport } from "./review/review.ts";
import type { CycleState } from "./state.ts";

/** As the original calls it. */
export const EventResumed = "resumed";

/**
 * What a loop reports as it runs. A new member is a minor change: listeners ignore the others.
 *
 * Every event carries the state at the moment it was emitted: a frozen copy, made when first asked for.
 */
export type LoopEvent = LoopEventData & {
  readonly taskId: string;
  /** HEAD of the work tree as the loop last saw it; `""` outside a repository. */
  readonly headSha: string;
  state(): CycleState;
};

export type LoopEventData =
  /** A cycle begins. */
  | { readonly type: "cycle_start"; readonly cycle: number }
  /** A turn begins. `attempt` above 1: the same work was begun before, and failed. */
  | {
      readonly type: "agent_start";
      readonly cycle: number;
      readonly role: AgentRole;
      readonly turnId: string;
      readonly attempt: number;
    }
  /** Something that the agent said or did in its turn. */
  | {
      readonly type: "agent_event";
      readonly cycle: number;
      readonly role: AgentRole;
      readonly event: AgentEvent;
    }
  /** A turn ended well, and is stored. `costUsd` is the turn's; `undefined` is unknown. */
  | {
      readonly type: "agent_done";
      readonly cycle: number;
      readonly role: AgentRole;
      readonly turnId: string;
      readonly costUsd: number | undefined;
      readonly durationMs: number;
      /** What a coder says of its work at the end, of which the beginning; secrets are taken out. */
      readonly summary?: string | undefined;
    }
  /** What the agent of a turn that ended well was not allowed to do. */
  | {
      readonly type: "tools_denied";
      readonly cycle: number;
      readonly role: AgentRole;
      readonly turnId: string;
      readonly denials: readonly AgentDenial[];
    }
  /**
   * The coder's work of a turn is in this commit; `undefined` when nothing had changed. Told again of
   * commits that a resume finds and takes for the run's own. With `by` it holds what the checks
   * or a git hook have changed after that.
   */
  | {
      readonly type: "committed";
      readonly cycle: number;
      readonly turnId: string;
      readonly sha: string | undefined;
      readonly by?: "checks" | "git hook" | undefined;
      /** What that was. */
      readonly paths?: readonly string[] | undefined;
      /** How much a coder's commit changes. */
      readonly changes?: Committed["changes"];
    }
  /** Files that a reviewer has changed are put back; its version of them is in the snapshot. */
  | {
      readonly type: "undone";
      readonly cycle: number;
      readonly turnId: string;
      readonly paths: readonly string[];
      /** Counts the run's snapshots, from 1. */
      readonly n: number;
      readonly ref: string;
      readonly sha: string;
    }
  /** A lint or filter command ended. */
  | {
      readonly type: "check_done";
      readonly cycle: number;
      readonly check: "lint" | "filter";
      readonly name: string;
      readonly passed: boolean;
      readonly output: string;
    }
  /** A cycle is whole: reviewed (or bounced by a filter), its findings recorded. */
  | {
      readonly type: "review_complete";
      readonly cycle: number;
      readonly approved: boolean;
      readonly findings: readonly Finding[];
    }
  | {
      readonly type: "task_success";
      readonly cycle: number;
      readonly report: ReviewReport | undefined;
    }
  | {
      readonly type: "task_failed";
      readonly cycle: number;
      readonly reason: FailureReason;
      readonly message: string;
    }
  | { readonly type: "refactored"; readonly cycle: number }
  | {
      readonly type: "struggle_detected";
      readonly cycle: number;
      readonly message: string;
    }
  /** Always the first event of a resumed run; `message` is `"resumed from checkpoint"`. */
  | {
      readonly type: typeof EventResumed;
      readonly cycle: number;
      readonly message: string;
      /** What is reused and what is done again, in words for a person. */
      readonly details: readonly string[];
    }
  /**
   * What became of a turn that an earlier process began: its live agent is `followed`, its end is
   * `read`; it continues `resumed` in its own session, or is `restarted`.
   */
  | {
      readonly type: "turn_recovered";
      readonly cycle: number;
      readonly role: AgentRole;
      readonly turnId: string;
      readonly how: TurnRecovery;
      /** Why it failed, where it is taken again. */
      readonly reason?: string | undefined;
    }
  /** A turn failed of something that passes, and is retried after a pause, which begins now. */
  | {
      readonly type: "turn_retry";
      readonly cycle: number;
      readonly role: AgentRole;
      readonly turnId: string;
      /** Which retry of the same piece of work it is, from 1, and how many it may have. */
      readonly retry: number;
      readonly most: number;
      /** RFC 3339: when it begins. */
      readonly until: string;
      /** Milliseconds from now. */
      readonly waitMs: number;
      /** Why the turn failed. */
      readonly message: string;
    }
  /** What was not committed is kept under this reference, before a turn is taken again. */
  | {
      readonly type: "snapshot";
      readonly cycle: number;
      /** Counts the run's snapshots, from 1. */
      readonly n: number;
      readonly ref: string;
      readonly sha: string;
      /** Whether it holds only staged changes. @default false */
      readonly isStaged?: boolean | undefined;
    }
  /** Something a person should know that stops nothing. */
  | { readonly type: "warning"; readonly cycle: number; readonly message: string };

export type TurnRecovery = "followed" | "read" | "resumed" | "restarted";

/** Why a task did not end approved. */
export type FailureReason =
  | "max_cycles"
  | "budget"
  | "agent"
  | "interrupted"
  | "checkpoint"
  /** A disk is full, or the system does not let a turn be read; its agent may work on. */
  | "storage"
  | "git"
  | "check"
  /** An agent left the branch, rewrote what was there, or stopped in the middle of something. */
  | "work-tree"
  /** The reviewer approved, but HEAD is not what was reviewed. */
  | "approved-differs"
  /** Another process drives the run, or may: no event tells of it, and nothing is stored. */
  | "superseded";

/** A listener of loop events. Awaited in order; one that throws is reported and stops nothing. */
export interface Hook {
  onEvent(event: LoopEvent): void | Promise<void>;
  /** Names the task before the loop begins; the first hook that can do it does. */
  createTask?(title: string): Promise<string>;
  /** Makes a tracker item of each finding; their ids join the task's children. */
  createFindings?(taskId: string, findings: readonly Finding[]): Promise<readonly string[]>;
}
