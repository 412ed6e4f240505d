import type { FailureReason } from "./event.ts";
import { isOverBudget } from "./money.ts";
import { parseReview } from "./parse-review.ts";
import type { CycleState } from "./state.ts";
import { STRUGGLE_THRESHOLD, struggleScore } from "./struggle.ts";

/** What a loop does next. Every step ends in a state from which the next one follows. */
export type Step =
  /** The coder's first turn of a cycle. */
  | { readonly type: "begin"; readonly cycle: number }
  /** A turn whose end is not known: its end is looked for. */
  | { readonly type: "recover" }
  /** A turn that came to nothing: it is started again. */
  | { readonly type: "again" }
  | { readonly type: "commit" }
  | { readonly type: "lint" }
  | { readonly type: "filter" }
  | { readonly type: "review" }
  | { readonly type: "judge" }
  | { readonly type: "approve" }
  /** A cycle with findings ends; the next one may begin. */
  | { readonly type: "resolve" }
  | { readonly type: "succeed" }
  | { readonly type: "end"; readonly outcome: "struggling" | FailureReason };

/** Whether a loop that goes in circles is to stop. */
export interface StepOptions {
  readonly detectStruggle: boolean;
}

/**
 * The loop as one function of its state: a run that goes on after a crash takes the same way as one
 * that was never stopped.
 *
 * A turn counts as pending only in the phases that are turns of agents (`coding`, `linting`,
 * `reviewing`); in all others its work has been taken.
 *
 * @see SPEC.md, "Steps"
 */
export function nextStep(state: CycleState, options: StepOptions): Step {
  const step = stepOf(state, options);
  const buys = BUYING.has(step.type) && isOverBudget(state);
  return buys ? { type: "end", outcome: "budget" } : step;
}

/** Steps that cost money, or only make sense when more of it may be spent. */
const BUYING: ReadonlySet<Step["type"]> = new Set(["begin", "again", "lint", "filter", "review"]);

function stepOf(state: CycleState, options: StepOptions): Step {
  switch (state.phase) {
    case "idle":
    case "bead_created":
      return beginOf(state, Math.max(1, state.cycle));
    case "coding":
    case "linting":
      return turnStep(state, "coder", { type: "commit" });
    case "code_complete":
      return { type: "lint" };
    case "filtering":
      return { type: "filter" };
    case "reviewing":
      return turnStep(state, "reviewer", { type: "judge" });
    case "review_complete":
      return afterReview(state, options);
    case "resolving_issues":
      return beginOf(state, state.cycle + 1);
    case "approved":
      return { type: "succeed" };
    case "error":
      return { type: "end", outcome: "agent" };
  }
}

function beginOf({ maxCycles }: CycleState, cycle: number): Step {
  return cycle > maxCycles ? { type: "end", outcome: "max_cycles" } : { type: "begin", cycle };
}

function turnStep(
  { turn, failure, cycle }: CycleState,
  role: "coder" | "reviewer",
  settled: Step,
): Step {
  if (turn?.role !== role) return role === "coder" ? { type: "begin", cycle } : { type: "review" };
  if (turn.status === "settled") return settled;
  return { type: failure === "" ? "recover" : "again" };
}

function afterReview(state: CycleState, { detectStruggle }: StepOptions): Step {
  if (parseReview(state.reviewOutput).verdict === "approved") return { type: "approve" };
  if (isOverBudget(state)) return { type: "end", outcome: "budget" };
  const circles = detectStruggle && struggleScore(state) >= STRUGGLE_THRESHOLD;
  return circles ? { type: "end", outcome: "struggling" } : { type: "resolve" };
}
