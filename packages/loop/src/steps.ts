import type { Phase } from "@quasar/checkpoint";
import { isOverBudget } from "./money/money.ts";
import type { RunKind } from "./run-kind.ts";
import type { TaskResult } from "./options.ts";
import { parseReview } from "./review/parse-review.ts";
import type { CycleState } from "./state.ts";
import { STRUGGLE_THRESHOLD, struggleScore } from "./review/struggle.ts";
import { isPending, isRefused, isUnknown } from "./transitions.ts";

/** What a loop can do. Every step leaves a state from which the next one follows. */
export type Step =
  /** A cycle's first turn of the coder. */
  | "begin"
  /** Finds out how a turn ended. */
  | "recover"
  /** A turn that failed is started again. */
  | "again"
  | "commit"
  /** The coder fixes what its commit was refused for. */
  | "fix"
  | "lint"
  | "filter"
  | "review"
  /** What the reviewer said is taken. */
  | "judge"
  | "approve"
  /** A cycle with findings is left behind. */
  | "resolve";

export type Next = { readonly step: Step } | { readonly end: TaskResult["outcome"] };

export interface StepOptions {
  /** Whether a loop that goes in circles is to stop. */
  readonly detectStruggle: boolean;
  readonly runKind: RunKind;
}

/**
 * The loop as one function of its state: a run that continues after a crash takes the same way as one
 * that was never stopped.
 *
 * @see SPEC.md, "Steps"
 */
export function nextStep(state: CycleState, options: StepOptions): Next {
  const follow = WAYS[options.runKind.name][state.phase] ?? NEXT[state.phase];
  const next = follow(state, options);
  const buys = "step" in next && mayBuy(next.step);
  return buys && isOverBudget(state) ? { end: "budget" } : next;
}

/** Whether an agent begins to work in a step, or may have to after it. */
export function mayBuy(step: Step): boolean {
  return BUYING.has(step);
}

/** Steps that cost money, or make sense only if more of it may be spent. */
const BUYING: ReadonlySet<Step> = new Set(["begin", "again", "fix", "lint", "filter", "review"]);

type Follow = (state: CycleState, options: StepOptions) => Next;

const NEXT: Readonly<Record<Phase, Follow>> = {
  idle: beginNext,
  bead_created: beginNext,
  coding: (state) => turnNext(state, "begin", "commit"),
  code_complete: () => ({ step: "lint" }),
  linting: (state) => turnNext(state, "lint", "commit"),
  filtering: () => ({ step: "filter" }),
  reviewing: (state) => turnNext(state, "review", "judge"),
  review_complete: afterReview,
  resolving_issues: beginNext,
  approved: () => ({ end: "approved" }),
  error: () => ({ end: "agent" }),
};

const review: Follow = () => ({ step: "review" });
const done: Follow = () => ({ step: "approve" });

/** Where the way of a single turn is not that of the loop. */
const WAYS: Readonly<Record<RunKind["name"], Readonly<Partial<Record<Phase, Follow>>>>> = {
  loop: {},
  coder: { code_complete: done },
  reader: { coding: (state) => turnNext(state, "begin", "approve") },
  reviewer: { idle: review, bead_created: review, review_complete: done },
};

/** The cycle that begins next. */
export function cycleToBegin({ phase, cycle }: CycleState): number {
  return phase === "resolving_issues" ? cycle + 1 : Math.max(1, cycle);
}

function beginNext(state: CycleState): Next {
  return cycleToBegin(state) > state.maxCycles ? { end: "max_cycles" } : { step: "begin" };
}

/** In a phase that is a turn: whether it is to begin, to be searched for, or to be taken. */
function turnNext(state: CycleState, begin: Step, take: Step): Next {
  if (!isPending(state)) return { step: begin };
  if (isRefused(state)) return { step: "fix" };
  if (state.turn?.status === "settled") return { step: take };
  return { step: isUnknown(state) ? "recover" : "again" };
}

function afterReview(state: CycleState, { detectStruggle }: StepOptions): Next {
  if (parseReview(state.reviewOutput).verdict === "approved") return { step: "approve" };
  // Where no cycle is left no money buys another one.
  const isLast = state.cycle >= state.maxCycles;
  if (!isLast && isOverBudget(state)) return { end: "budget" };
  const circles = detectStruggle && struggleScore(state) >= STRUGGLE_THRESHOLD;
  return circles ? { end: "struggling" } : { step: "resolve" };
}
