import { expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue } from "../test/fake-agent.ts";
import { aCheckpoint, aLedgerEntry } from "../test/fixtures.ts";
import { harness } from "../test/harness.ts";
import type { AgentInvoker } from "./agent.ts";
import { runFromCheckpoint, runTask } from "./loop.ts";
import { neededBudget, turnAllowance } from "./money.ts";

const TASK = { id: "t", title: "Do it" };

/** An agent whose responses cost so much at most. */
function bounded(agent: ReturnType<typeof fakeAgent>, boundUsd: number): typeof agent {
  const responseBoundUsd: AgentInvoker["responseBoundUsd"] = () => boundUsd;
  return Object.assign(agent, { responseBoundUsd });
}

test.for([
  ["a coder what is left less a tenth of the whole", 5, 2, "coder", 0, 2.5],
  ["a reviewer what is left", 5, 2, "reviewer", 0, 3],
  ["either no more than a turn may", 5, 2, "reviewer", 1.25, 1.25],
  ["either what it likes without a budget", 0, 2, "coder", 0, 0],
  ["either what a turn may without a budget", 0, 2, "coder", 1.25, 1.25],
] as const)("lets spend %s", ([, maxBudgetUsd, totalCostUsd, role, maxTurnUsd, usd]) => {
  expect(turnAllowance({ maxBudgetUsd, totalCostUsd }, role, maxTurnUsd)).toBeCloseTo(usd);
});

test("needs for a cycle what its turns have cost, the review's share kept", () => {
  const ledger = [
    aLedgerEntry({ turnId: "run.1", role: "coder", costUsd: 1.5 }),
    aLedgerEntry({ turnId: "run.2", role: "reviewer", costUsd: 0.2 }),
  ];
  const state = aCheckpoint({ totalCostUsd: 1.7, maxBudgetUsd: 2, maxCycles: 3, ledger });
  expect(neededBudget(state, ["coder", "reviewer"], {})).toBe(3.56);
  expect(neededBudget(state, ["reviewer"], {})).toBe(1.9);
  expect(neededBudget(state, ["reviewer"], { reviewer: 0.4 })).toBe(2.5);
});

test.for(["coder", "reviewer"] as const)(
  "a %s's turn is not started that may not spend two of its responses, and a resume with the figure goes on",
  async (role) => {
    const coder = bounded(fakeAgent([{ text: "done", costUsd: 1.5 }]), role === "coder" ? 1 : 0);
    const reviewer = bounded(
      fakeAgent([
        { text: issue("bad"), costUsd: 1.5 },
        { text: APPROVAL, costUsd: 1.5 },
      ]),
      role === "reviewer" ? 0.6 : 0,
    );
    const loop = harness({ coder, reviewer, maxBudgetUsd: 5 });
    const stopped = await runTask(TASK, loop.options);
    const turns = { coder: 1, reviewer: 1, [role === "coder" ? "" : "coder"]: 2 };
    expect(stopped).toMatchObject({ outcome: "budget" });
    expect(stopped.message).toContain(`The ${role}'s next turn needs at least $`);
    expect([coder.requests.length, reviewer.requests.length]).toEqual([turns.coder, 1]);
    const maxBudgetUsd = stopped.checkpoint.neededBudgetUsd;
    expect(stopped.message).toContain(
      `Resume with a budget of at least $${maxBudgetUsd.toFixed(2)}.`,
    );
    const resumed = await runFromCheckpoint(await loop.stored(), { ...loop.options, maxBudgetUsd });
    expect(resumed).toMatchObject({ outcome: "approved", totalCostUsd: 6 });
    expect(resumed.checkpoint.neededBudgetUsd).toBe(0);
  },
);

test("a limit for one turn that is too low is what is to be raised", async () => {
  const coder = bounded(fakeAgent(["done"]), 1);
  const result = await runTask(TASK, harness({ coder, maxTurnBudgetUsd: 1.5 }).options);
  expect(result).toMatchObject({
    outcome: "budget",
    message: expect.stringContaining("the limit for one turn is $1.50") as string,
  });
  expect(result.checkpoint).toMatchObject({ neededBudgetUsd: 0, neededTurnBudgetUsd: 2 });
  expect(coder.requests).toHaveLength(0);
});

test("a turn that reached its limit says so, and what the run needs", async () => {
  const failure = {
    kind: "budget",
    message: "Reached maximum budget ($4.5)",
    retryable: true,
  } as const;
  const coder = fakeAgent([{ failure, costUsd: 4.6 }]);
  const result = await runTask(TASK, harness({ coder, maxBudgetUsd: 5 }).options);
  expect(result).toMatchObject({ outcome: "budget", agentFailure: failure });
  expect(result.message).toBe(
    "This turn reached its limit ($4.50 of $5.00). Resume with a budget of at least $10.23.",
  );
});

test.for([
  ["though it says that it spent nothing, names a larger budget", 5, 0, 10, 0],
  ["at the limit for one turn names a larger one", 5, 1, 0, 2],
  ["at the limit for one turn, without a budget, names a larger one", 0, 1, 0, 2],
] as const)("a turn that was stopped %s", async ([, maxBudgetUsd, cap, budgetUsd, turnUsd]) => {
  const failure = { kind: "budget", message: "budget", retryable: false } as const;
  const coder = fakeAgent([{ failure, costUsd: 0 }]);
  const loop = harness({ coder, maxBudgetUsd, maxTurnBudgetUsd: cap });
  const { checkpoint, message } = await runTask(TASK, loop.options);
  expect(checkpoint).toMatchObject({ neededBudgetUsd: budgetUsd, neededTurnBudgetUsd: turnUsd });
  const needed = `$${Math.max(budgetUsd, turnUsd).toFixed(2)}`;
  expect(message).toContain(needed);
});
