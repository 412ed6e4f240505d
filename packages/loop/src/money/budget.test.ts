import * as fc from "fast-check";
import { expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue } from "../../test/fake-agent.ts";
import { aCheckpoint, aLedgerEntry } from "../../test/fixtures.ts";
import { harness } from "../../test/harness.ts";
import type { AgentInvoker } from "@quasar/agents";
import { runFromCheckpoint, runTask } from "../loop.ts";
import { tooLittle } from "../ending.ts";
import {
  allowanceBeforeReview,
  dollarsNeeded,
  isTooLittle,
  leastAllowance,
  neededBudget,
  turnAllowance,
} from "./money.ts";

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

const usd = fc.oneof(
  fc.integer({ min: 1, max: 5000 }).map((cents) => cents / 100),
  fc.double({ min: 0.001, max: 50, noNaN: true }),
);

test("a budget of the figure that is shown is enough for every turn that it was reckoned for", () => {
  const toCome = fc.constantFrom(["coder", "reviewer"] as const, ["reviewer"] as const);
  fc.assert(
    fc.property(
      usd,
      usd,
      usd,
      usd,
      toCome,
      (totalCostUsd, maxBudgetUsd, coder, reviewer, roles) => {
        const boundsUsd = { coder, reviewer };
        const ledger = [aLedgerEntry({ turnId: "run.1", role: "coder", costUsd: totalCostUsd })];
        const state = aCheckpoint({ totalCostUsd, maxBudgetUsd, maxCycles: 3, ledger });
        const shown = Number(dollarsNeeded(neededBudget(state, roles, boundsUsd)).slice(1));
        let spent = totalCostUsd;
        for (const role of roles) {
          const raised = { totalCostUsd: spent, maxBudgetUsd: shown };
          expect(isTooLittle(turnAllowance(raised, role), boundsUsd[role])).toBe(false);
          spent += leastAllowance(boundsUsd[role]);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

test("with the budget for both a review can begin, whatever the coder's turn before it costs", () => {
  fc.assert(
    fc.property(usd, usd, usd, usd, (totalCostUsd, maxBudgetUsd, coder, reviewer) => {
      const boundsUsd = { coder, reviewer };
      const state = aCheckpoint({ totalCostUsd, maxBudgetUsd, maxCycles: 3, ledger: [] });
      const roles = ["coder", "reviewer"] as const;
      const raised = { totalCostUsd, maxBudgetUsd: neededBudget(state, roles, boundsUsd) };
      const byBudgetUsd = turnAllowance(raised, "coder");
      const allowanceUsd = allowanceBeforeReview(raised, byBudgetUsd, boundsUsd);
      expect(allowanceUsd).toBeLessThanOrEqual(byBudgetUsd);
      expect(isTooLittle(allowanceUsd, coder)).toBe(false);
      const spent = { ...raised, totalCostUsd: totalCostUsd + allowanceUsd };
      expect(isTooLittle(turnAllowance(spent, "reviewer"), reviewer)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test("less than that begins the coder's turn all the same", () => {
  const bounds = { coder: 0.8, reviewer: 0.8 };
  const left = { totalCostUsd: 0, maxBudgetUsd: 2 };
  expect(allowanceBeforeReview(left, 1.8, bounds)).toBe(1.6);
  expect(allowanceBeforeReview(left, 1.8, { coder: 0.8 })).toBe(1.8);
  expect(allowanceBeforeReview({ ...left, maxBudgetUsd: 0 }, 0, bounds)).toBe(0);
});

test("a turn that is not started never reads as one that may spend what it needs", () => {
  const gap = fc.oneof(fc.double({ min: 2e-7, max: 0.02, noNaN: true }), usd);
  fc.assert(
    fc.property(usd, gap, fc.boolean(), (allowanceUsd, gapUsd, isCapped) => {
      const leastUsd = allowanceUsd + gapUsd;
      expect(isTooLittle(allowanceUsd, leastUsd / 2)).toBe(true);
      const allowed = { allowanceUsd, leastUsd, capUsd: isCapped ? allowanceUsd : 0 };
      const state = aCheckpoint({ totalCostUsd: 1, maxBudgetUsd: 5 });
      const { message } = tooLittle(state, "coder", allowed);
      const figures = [...message.matchAll(/(<?)\$([\d.]+\d)/gu)].map(([, less, figure]) =>
        less === "<" ? 0 : Number(figure),
      );
      const [needed = 0, allows = 0] = figures;
      expect(needed).toBeGreaterThan(allows);
      expect(needed).toBeGreaterThanOrEqual(leastUsd - 1e-7);
      expect(allows).toBeLessThanOrEqual(allowanceUsd + 1e-7);
    }),
    { numRuns: 2000 },
  );
});

test.for(["coder", "reviewer"] as const)(
  "a %s's turn is not started that may not spend two of its responses, and a resume with the figure continues",
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
    expect(stopped.message).toContain(`Resume with a budget of $${maxBudgetUsd.toFixed(2)}.`);
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

test("where the limit for one turn and the budget are both too low, both are to be raised, and are enough", async () => {
  const coder = bounded(fakeAgent(["done"]), 1);
  const reviewer = fakeAgent([APPROVAL]);
  const limits = { maxBudgetUsd: 1.5, maxTurnBudgetUsd: 1 };
  const loop = harness({ coder, reviewer, ...limits });
  const { checkpoint, message } = await runTask(TASK, loop.options);
  const { neededBudgetUsd: maxBudgetUsd, neededTurnBudgetUsd: maxTurnBudgetUsd } = checkpoint;
  expect(message).toContain(
    `Resume with $2.00 for one turn and a budget of $${maxBudgetUsd.toFixed(2)}.`,
  );
  const raised = { ...loop.options, maxBudgetUsd, maxTurnBudgetUsd };
  const resumed = await runFromCheckpoint(await loop.stored(), raised);
  expect(resumed.outcome).toBe("approved");
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
    "This turn reached its limit ($4.50 of $5.00). Resume with a budget of $10.23.",
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
