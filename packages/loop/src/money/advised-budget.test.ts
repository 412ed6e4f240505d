import type { AgentRequest, AgentRole } from "@quasar/agents";
import type { FoundTurn } from "@quasar/agents/turns";
import { inspectRepository } from "@quasar/git";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { APPROVAL, type FakeAgent, fakeAgent } from "../../test/fake-agent.ts";
import { aCheckpoint, aLedgerEntry, aTurn } from "../../test/fixtures.ts";
import { type Harness, harness } from "../../test/harness.ts";
import { stateFromCheckpoint } from "../convert.ts";
import { LOOP } from "../run-kind.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";
import { assessResume } from "../resume/assess.ts";
import { planResume, type ResumePlan } from "../resume/plan.ts";
import type { CycleState } from "../state.ts";
import { nextStep } from "../steps.ts";
import type { Asking } from "./next-turns.ts";
import { predictRefusal, usedUp } from "./predict-refusal.ts";

interface Bound {
  readonly fresh: number;
  /** In a session that is continued: more is sent. */
  readonly resumed: number;
}

const boundOf =
  ({ fresh, resumed }: Bound) =>
  ({ resumesSession = false }: Pick<AgentRequest, "resumesSession">): number =>
    resumesSession ? resumed : fresh;

const usd = fc.oneof(
  fc.integer({ min: 0, max: 2000 }).map((cents) => cents / 100),
  fc.double({ min: 0.001, max: 20, noNaN: true }),
);
const bound = fc.record({ fresh: usd, resumed: usd });

const aState = fc
  .record({
    phase: fc.constantFrom("bead_created", "coding", "linting", "reviewing", "resolving_issues"),
    role: fc.constantFrom<AgentRole>("coder", "reviewer"),
    totalCostUsd: usd,
    maxBudgetUsd: usd.filter((amount) => amount > 0),
    costs: fc.array(usd, { maxLength: 2 }),
  })
  .map(({ role, costs, ...change }): CycleState => {
    const ledger = costs.map((costUsd) => aLedgerEntry({ turnId: "run.1", role, costUsd }));
    const turn = aTurn({ role, status: "started", sessionId: "s" });
    return stateFromCheckpoint(
      aCheckpoint({ ...change, ledger, turn, failure: "x", maxCycles: 3 }),
    );
  });

test("for any state, the turn that is next starts with what is advised", () => {
  fc.assert(
    fc.property(
      aState,
      fc.record({ coder: bound, reviewer: bound }),
      fc.oneof(fc.constant(0), usd),
      (state, bounds, capUsd) => {
        const of = (role: AgentRole): Asking[AgentRole] => ({
          capabilities: { resumesSession: true },
          responseBoundUsd: boundOf(bounds[role]),
        });
        const asking = { coder: of("coder"), reviewer: of("reviewer") };
        const stops = (now: CycleState, cap: number) => {
          const next = nextStep(now, { detectStruggle: false, runKind: LOOP });
          if ("step" in next) return predictRefusal(now, next.step, asking, cap);
          return next.end === "budget" ? usedUp(now, asking) : undefined;
        };
        const stop = stops(state, capUsd);
        if (stop === undefined) return;
        const { neededBudgetUsd = 0, neededTurnBudgetUsd = 0 } = stop.data;
        expect(Math.max(Number(neededBudgetUsd), Number(neededTurnBudgetUsd))).toBeGreaterThan(0);
        const maxBudgetUsd = Number(neededBudgetUsd) || state.maxBudgetUsd;
        const raised = stops({ ...state, maxBudgetUsd }, Number(neededTurnBudgetUsd) || capUsd);
        // One that was used up says the whole cycle's need, in which a limit for one turn is not looked at.
        if (stop.data["check"] === "budget" && capUsd > 0) return;
        expect(raised).toBeUndefined();
      },
    ),
    { numRuns: 3000 },
  );
});

/** An agent whose first turn fails after it has begun a session, which the next one continues. */
function failing(answer: string, bounds: Bound, hasFailed: boolean): FakeAgent {
  const failure = { kind: "unknown", message: "lost", retryable: false } as const;
  const first = { failure, sessionId: "s", costUsd: 0.3 };
  const agent = fakeAgent(hasFailed ? [first, answer] : [answer], { resumesSession: true });
  return Object.assign(agent, { responseBoundUsd: boundOf(bounds) });
}

async function planned(loop: Harness, maxBudgetUsd?: number): Promise<ResumePlan> {
  const checkpoint = await loop.stored();
  const facts = await inspectRepository(loop.tree.dir, { since: checkpoint.gitSha });
  const assessment = assessResume(facts, { checkpoint, branch: "main" });
  const { coder, reviewer } = loop.options;
  const found: FoundTurn = { state: "unknown" };
  return planResume(checkpoint, assessment, found, { agents: { coder, reviewer }, maxBudgetUsd });
}

test.for(["coder", "reviewer"] as const)(
  "a %s's session that costs more to continue is counted in what is advised, by a plan too",
  async (role) => {
    const bounds = { fresh: 0.4, resumed: 0.9 };
    const loop = harness({
      coder: failing("done", bounds, role === "coder"),
      reviewer: failing(APPROVAL, bounds, role === "reviewer"),
      maxBudgetUsd: 1.5,
    });
    await runTask({ id: "t", title: "Do it" }, loop.options);
    const before = await planned(loop);
    const stopped = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(stopped.outcome).toBe("budget");
    expect(stopped.message).toContain(`The ${role}'s next turn needs at least $1.80`);
    const { neededBudgetUsd: maxBudgetUsd } = stopped.checkpoint;
    for (const plan of [before, await planned(loop)]) {
      expect(plan.goesOn).toBe(false);
      expect(stopped.message).toContain(plan.items.at(-1)?.message);
      expect(plan.items.at(-1)?.data).toMatchObject({ neededBudgetUsd: maxBudgetUsd });
    }
    expect((await planned(loop, maxBudgetUsd)).goesOn).toBe(true);
    const resumed = await runFromCheckpoint(await loop.stored(), { ...loop.options, maxBudgetUsd });
    expect(resumed.outcome).toBe("approved");
  },
);
