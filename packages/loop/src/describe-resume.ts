import type { CheckpointTurn } from "@quasar/checkpoint";
import type { AgentInvoker, AgentRole } from "./agent.ts";
import { dollars, spentWords } from "./money.ts";
import type { CycleState } from "./state.ts";
import { cycleToBegin, nextStep, type Step } from "./steps.ts";

type Agents = Readonly<Record<AgentRole, Pick<AgentInvoker, "adopt">>>;

/** What a resumed run reuses and what it does again, in words for a person. */
export function describeResume(state: CycleState, agents: Agents): readonly string[] {
  const { cycle, maxCycles, maxBudgetUsd } = state;
  const budget = maxBudgetUsd === 0 ? "" : ` of $${maxBudgetUsd.toFixed(2)}`;
  const next = nextStep(state, { detectStruggle: false });
  return [
    `cycle ${cycle} of ${maxCycles}, ${spentWords(state)}${budget} spent`,
    "step" in next
      ? STEPS[next.step](state, agents)
      : (ENDS[next.end] ?? `the run has ended: ${next.end}`),
  ];
}

const ENDS: Readonly<Record<string, string>> = {
  approved: "the work is approved: nothing is run again",
  budget: "the budget is used up: nothing is run before it is raised",
  max_cycles: "all cycles are used up: nothing is run before there are more",
};

const checks = (): string => "the coder's work is committed: the checks are next";

/** A turn without a limit has no reservation that could stand for what it has cost. */
function recovered(turn: CheckpointTurn, { maxBudgetUsd }: CycleState, agents: Agents): string {
  const { role, reservedUsd } = turn;
  const looks = agents[role].adopt !== undefined;
  const search = looks ? "its end is looked for; if nobody knows it, " : "";
  const cost =
    reservedUsd > 0 || maxBudgetUsd > 0
      ? `counts with up to ${dollars(reservedUsd)}`
      : "what it has cost cannot be counted";
  return `the ${role}'s turn was under way: ${search}it is started again, and ${cost}`;
}

const STEPS: Readonly<Record<Step, (state: CycleState, agents: Agents) => string>> = {
  begin: (state) => `the coder begins cycle ${cycleToBegin(state)}`,
  recover: (state, agents) => (state.turn ? recovered(state.turn, state, agents) : ""),
  again: ({ turn }) => `the ${turn?.role}'s turn came to nothing: it is started again`,
  commit: () => "the coder's turn is finished: its work is committed, not done again",
  lint: checks,
  filter: checks,
  review: () => "the coder's work is committed and checked: the review is next",
  judge: () => "the reviewer's turn is finished: its answer is used, not asked for again",
  approve: () => "the work is approved: nothing is run again",
  resolve: ({ cycle }) => `cycle ${cycle} is whole: the coder goes on with what was found`,
};
