import { expect, test } from "vitest";
import { refuseStart } from "./refuse-start.ts";

const agent = (boundUsd: number | undefined) => ({
  capabilities: { resumesSession: true },
  responseBoundUsd: () => boundUsd,
});

test.for([
  ["a budget of nine tenths of which the coder needs more", 0.5, 0.1, 1, 0, "coder", 1.22, 0],
  [
    "one of which the reviewer needs more, whatever the coder costs",
    0.1,
    0.81,
    1,
    0,
    "reviewer",
    1.99,
    0,
  ],
  ["a limit for one turn below what it needs", 0.5, 0.1, 5, 0.9, "coder", 0, 1],
  ["the same alone, where the budget lets both turns begin", 1.5, 1.5, 5, 2, "coder", 0, 3],
  ["both, with what both turns need", 0.5, 0.8, 1, 0.9, "coder", 2.76, 1.6],
] as const)(
  "refuses %s",
  ([, coder, reviewer, maxBudgetUsd, maxTurnBudgetUsd, role, budget, turn]) => {
    const agents = { coder: agent(coder), reviewer: agent(reviewer) };
    const given = { ...agents, runId: "run", task: "Do it", maxBudgetUsd, maxTurnBudgetUsd };
    const refusal = refuseStart(given);
    expect(refusal).toMatchObject({ role, neededBudgetUsd: budget, neededTurnBudgetUsd: turn });
    expect(refusal?.message).toContain(`The ${role}'s first turn needs at least $`);
    const raised = {
      ...given,
      maxBudgetUsd: budget || maxBudgetUsd,
      maxTurnBudgetUsd: turn || maxTurnBudgetUsd,
    };
    expect(refuseStart(raised)).toBeUndefined();
  },
);

test.for([
  ["a budget that is enough", 0.5, 2],
  ["no budget", 0.5, 0],
  ["agents of which no bound is known", undefined, 0.01],
] as const)("lets a run begin with %s", ([, bound, maxBudgetUsd]) => {
  const agents = { coder: agent(bound), reviewer: agent(bound) };
  expect(refuseStart({ ...agents, runId: "run", task: "Do it", maxBudgetUsd })).toBeUndefined();
});
