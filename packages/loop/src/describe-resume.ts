import type { CycleState } from "./state.ts";
import { cycleToBegin, nextStep, type Step } from "./steps.ts";

/** What a resumed run reuses and what it does again, in words for a person. */
export function describeResume(state: CycleState): readonly string[] {
  const { cycle, maxCycles, totalCostUsd, maxBudgetUsd } = state;
  const budget = maxBudgetUsd === 0 ? "" : ` of $${maxBudgetUsd.toFixed(2)}`;
  const next = nextStep(state, { detectStruggle: false });
  return [
    `cycle ${cycle} of ${maxCycles}, $${totalCostUsd.toFixed(4)}${budget} spent`,
    "step" in next ? STEPS[next.step](state) : (ENDS[next.end] ?? `the run has ended: ${next.end}`),
  ];
}

const ENDS: Readonly<Record<string, string>> = {
  approved: "the work is approved: nothing is run again",
  budget: "the budget is used up: nothing is run before it is raised",
  max_cycles: "all cycles are used up: nothing is run before there are more",
};

const checks = (): string => "the coder's work is committed: the checks are next";

const STEPS: Readonly<Record<Step, (state: CycleState) => string>> = {
  begin: (state) => `the coder begins cycle ${cycleToBegin(state)}`,
  recover: ({ turn }) =>
    `the ${turn?.role}'s turn was under way: its end is looked for; if that cannot be known, it is started again and counts with $${(turn?.reservedUsd ?? 0).toFixed(4)}`,
  again: ({ turn }) => `the ${turn?.role}'s turn came to nothing: it is started again`,
  commit: () => "the coder's turn is finished: its work is committed, not done again",
  lint: checks,
  filter: checks,
  review: () => "the coder's work is committed and checked: the review is next",
  judge: () => "the reviewer's turn is finished: its answer is used, not asked for again",
  approve: () => "the work is approved: nothing is run again",
  resolve: ({ cycle }) => `cycle ${cycle} is whole: the coder goes on with what was found`,
};
