import { isOverBudget } from "./money.ts";
import type { CycleState } from "./state.ts";
import { nextStep } from "./steps.ts";

/** What a resumed run reuses and what it does again, in words for a person. */
export function describeResume(state: CycleState): readonly string[] {
  const { cycle, maxCycles, totalCostUsd, maxBudgetUsd } = state;
  const budget = maxBudgetUsd === 0 ? "" : ` of $${maxBudgetUsd.toFixed(2)}`;
  return [
    `cycle ${cycle} of ${maxCycles}, $${totalCostUsd.toFixed(4)}${budget} spent`,
    whatIsNext(state),
  ];
}

function whatIsNext(state: CycleState): string {
  const { cycle, turn } = state;
  const step = nextStep(state, { detectStruggle: false });
  switch (step.type) {
    case "begin":
      return `the coder begins cycle ${step.cycle}`;
    case "recover":
      return `the ${turn?.role}'s turn was under way: its end is looked for, else it is started again and $${(turn?.reservedUsd ?? 0).toFixed(4)} counts as spent for it`;
    case "again":
      return `the ${turn?.role}'s turn came to nothing: it is started again`;
    case "commit":
      return "the coder's turn is finished: its work is committed, not done again";
    case "lint":
    case "filter":
      return "the coder's work is committed: the checks are next";
    case "review":
      return "the coder's work is committed and checked: the review is next";
    case "judge":
      return "the reviewer's turn is finished: its answer is used, not asked for again";
    case "approve":
    case "succeed":
      return "the work is approved: nothing is run again";
    case "resolve":
      return `cycle ${cycle} is whole: the coder goes on with what its review found`;
    case "end":
      return isOverBudget(state)
        ? "the budget is used up: nothing is run before it is raised"
        : "all cycles are used up: nothing is run before there are more";
  }
}
