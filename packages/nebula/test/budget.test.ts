import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { expect, test } from "vitest";
import { shortages } from "../src/engine/budget.ts";
import { answerPhase } from "../src/people/answer.ts";
import { updateNebula } from "../src/people/update-nebula.ts";
import { loadNebula } from "../src/spec/index.ts";
import { nebulaCost } from "../src/state/cost.ts";
import { keptSpec } from "../src/state/list.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
} from "./place.ts";

const IDS = ["a", "b", "c", "d"];
const FILES = {
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\nmax_budget_usd = 2.5\n`,
  ...Object.fromEntries(IDS.map((id) => [`${id}.md`, phase(id)])),
};
const WORK: Work = Object.fromEntries(
  IDS.map((id) => [`Phase ${id}`, (tree: string) => write(tree, { [id]: id })]),
);
const apply = (place: Place, totalUsd: number, coderUsd: number) =>
  place.apply(WORK, {
    limits: { maxWorkers: 3, totalUsd, phaseUsd: 5 },
    optionsOf: agentsOf(WORK, { coderUsd }),
  });

test("a total is one for all phases: what is too little for the next one stops the nebula, and more continues it", async () => {
  const place = aPlace({}, FILES);
  // Two phases use nearly all that they may; the rest is less than a fifth of what the next one may.
  const { reason, state } = await apply(place, 4.979, 2.23);
  expect(reason).toBe("budget");
  expect(await costOf(place)).toBeCloseTo(4.48);
  const open = state.phases.filter(({ status }) => status === "pending");
  expect(open).toHaveLength(2);
  // Nothing is set apart any more for what has landed.
  expect(state.phases.map(({ reservedUsd }) => reservedUsd)).toEqual([0, 0, 0, 0]);
  expect((await apply(place, 20, 2.23)).reason).toBe("done");
});

test("a fifth of what a phase may spend stays set apart until it has landed", async () => {
  const manifest = `${FILES["nebula.toml"]}gate = "review"\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  const { reason, state } = await apply(place, 10, 0.3);
  expect(reason).toBe("waiting");
  // The coder's 0.30 and the reviewer's 0.01, and a fifth of 2.50.
  expect(state.phases[0]?.reservedUsd).toBeCloseTo(0.81);
});

test("what a phase does not need is there for the next one", async () => {
  const place = aPlace({}, FILES);
  expect((await apply(place, 2.6, 0.01)).reason).toBe("done");
});

/** A nebula of one phase with a limit of its own. */
const limited = (usd: number, more = ""): Readonly<Record<string, string>> => ({
  "nebula.toml": `${MANIFEST}[execution]\nmax_budget_usd = ${usd}\n${more}`,
  "a.md": phase("a"),
});

/**
 * Agents of which each turn costs all that it may, up to a wish; and what each of the coder's turns might.
 *
 * @param reviews - What the reviewer says; the last is repeated.
 */
function payingAgents(
  wishUsd: number,
  work: Work = WORK,
  reviews: readonly string[] = ["APPROVED: it is there"],
) {
  const offered: number[] = [];
  let reviewed = 0;
  const paying = (agent: AgentInvoker): AgentInvoker => ({
    ...agent,
    async invoke(request, ...rest) {
      const { maxCostUsd = Number.POSITIVE_INFINITY, role } = request;
      const result = await agent.invoke(request, ...rest);
      const costUsd = Math.min(wishUsd, maxCostUsd);
      if (role === "reviewer") {
        const text = reviews[Math.min(reviewed, reviews.length - 1)] ?? "";
        reviewed += 1;
        return { ...result, text, costUsd };
      }
      offered.push(maxCostUsd);
      return { ...result, costUsd };
    },
  });
  const optionsOf: ReturnType<typeof agentsOf> = (spec) => {
    const { coder, reviewer } = agentsOf(work)(spec);
    return { coder: paying(coder), reviewer: paying(reviewer) };
  };
  return { offered, optionsOf };
}

/** Of a phase whose first change does not pass `test ! -e bad`. */
const betterAtSecond = (): Work => {
  let turns = 0;
  return {
    "Phase a": (tree) => {
      turns += 1;
      write(tree, { [`a${turns}`]: "a", ...(turns === 1 && { bad: "" }) });
      if (turns > 1) rmSync(join(tree, "bad"));
    },
  };
};
const PICKY = 'verify = ["test ! -e bad"]\nverify_retries = 0\n';
const ISSUE = "ISSUE:\nSEVERITY: major\nDESCRIPTION: it is not there";

const costOf = async (place: Place): Promise<number> =>
  (await nebulaCost(commonDir(place), newest(place))).total.spentUsd;

/** Has the nebula take over other texts of its files. */
function update(place: Place, files: Readonly<Record<string, string>>): void {
  write(place.dir, files);
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));
}

test.for([0, 20])(
  "a limit of a phase is one for all of its attempts, with a total of %i",
  async (totalUsd) => {
    const place = aPlace({}, limited(2.5, PICKY));
    const { offered, optionsOf } = payingAgents(0.8, betterAtSecond());
    const limits = { maxWorkers: 1, totalUsd, phaseUsd: 5 };
    expect((await place.apply({}, { limits, optionsOf })).reason).toBe("done");
    // A coder may spend the rest of the run's budget, less a tenth that is kept for the review.
    expect(offered).toEqual([2.25, expect.closeTo(0.9 * (2.5 - 1.6))]);
    expect(await costOf(place)).toBeCloseTo(2.5);
  },
);

test("a smaller total that is typed binds the phases that are under way, too", async () => {
  const place = aPlace({}, FILES);
  const stop = new AbortController();
  let working = 0;
  const hang = (): Promise<void> =>
    new Promise((resolve) => {
      stop.signal.addEventListener("abort", () => resolve());
      if ((working += 1) === 2) stop.abort();
    });
  const limits = { maxWorkers: 2, totalUsd: 10, phaseUsd: 5 };
  const hanging: Work = Object.fromEntries(IDS.map((id) => [`Phase ${id}`, hang]));
  await place.apply(hanging, { limits, signal: stop.signal });
  expect(await costOf(place)).toBeCloseTo(0.02);
  // Each turn costs all that it may.
  const { optionsOf } = payingAgents(Number.POSITIVE_INFINITY);
  await place.apply(WORK, { limits: { ...limits, totalUsd: 4 }, optionsOf });
  const spentUsd = await costOf(place);
  expect(spentUsd).toBeGreaterThan(1);
  expect(spentUsd).toBeLessThanOrEqual(4 + 1e-9);
});

test("a phase that has used its limit waits for a larger one before it is reworked", async () => {
  const place = aPlace({}, limited(2.5, PICKY));
  const { offered, optionsOf } = payingAgents(1.249, betterAtSecond());
  const end = await place.apply({}, { optionsOf });
  expect(end.reason).toBe("budget");
  // With another fifth of its limit.
  expect(end.state.phases[0]).toMatchObject({
    ...{ status: "awaiting_human", question: "budget", neededUsd: 3, runs: [expect.anything()] },
    reason: "needs a limit of $3.00 to continue; cost $2.50 of $2.50",
  });
  expect((await place.apply({}, { optionsOf })).reason).toBe("budget");
  update(place, limited(3, PICKY));
  expect((await place.apply({}, { optionsOf })).reason).toBe("done");
  expect(offered).toHaveLength(2);
  expect(await costOf(place)).toBeCloseTo(3);
});

test.for([
  ["nebula.toml", limited(9)],
  ["its own file", { ...limited(2.5), "a.md": phase("a", "max_budget_usd = 9") }],
] as const)(
  "a phase that its limit has stopped continues the same run with a larger one in %s",
  async ([, raised]) => {
    const place = aPlace({}, limited(2.5));
    const all = Number.POSITIVE_INFINITY;
    const { offered, optionsOf } = payingAgents(all, WORK, [ISSUE, "APPROVED: it is there"]);
    const end = await place.apply({}, { optionsOf });
    expect(end.reason).toBe("budget");
    const { question, neededUsd = 0, runs } = end.state.phases[0] ?? {};
    expect([question, runs?.length]).toEqual(["budget", 1]);
    expect(neededUsd).toBeGreaterThan(2.5);
    update(place, limited(neededUsd - 0.01));
    expect((await place.apply({}, { optionsOf })).reason).toBe("budget");
    expect(offered).toHaveLength(1);
    update(place, raised);
    const { reason, state } = await place.apply({}, { optionsOf });
    expect(reason).toBe("done");
    expect(state.phases[0]?.runs).toEqual(runs);
    expect(await costOf(place)).toBeCloseTo(9);
  },
);

/** The same, where a response of each may cost so much. */
function boundedAgents(wishUsd: number, boundUsd: number) {
  const { optionsOf: paying } = payingAgents(wishUsd);
  const optionsOf: typeof paying = (spec) => {
    const { coder, reviewer } = paying(spec);
    const responseBoundUsd = () => boundUsd;
    return { coder: { ...coder, responseBoundUsd }, reviewer: { ...reviewer, responseBoundUsd } };
  };
  return optionsOf;
}

test.for([0.1, Number.POSITIVE_INFINITY])(
  "the limit that is advised for a first turn is enough for the first cycle, where a coder's costs up to %d",
  async (wishUsd) => {
    const place = aPlace({}, limited(1.5));
    const optionsOf = boundedAgents(wishUsd, 0.8);
    const { reason, state } = await place.apply({}, { optionsOf });
    const { neededUsd = 0, runs = [] } = state.phases[0] ?? {};
    expect([reason, runs.length]).toEqual(["budget", 1]);
    update(place, limited(neededUsd));
    expect((await place.apply({}, { optionsOf })).reason).toBe("done");
  },
);

test("a total that leaves a phase too little for its first cycle does not begin it, and what is advised is enough", async () => {
  const place = aPlace({}, { ...limited(6), "b.md": phase("b") });
  const optionsOf = boundedAgents(1.7, 0.8);
  const apply = (totalUsd: number) =>
    place.apply(WORK, { limits: { maxWorkers: 1, totalUsd, phaseUsd: 5 }, optionsOf });
  const { reason, state } = await apply(5.5);
  expect(reason).toBe("budget");
  expect(state.phases.map(({ status, runs }) => [status, runs.length])).toEqual([
    ["done", 1],
    ["pending", 0],
  ]);
  const facts = { spec: keptSpec(commonDir(place), state), state };
  const limits = { maxWorkers: 1, totalUsd: 5.5, phaseUsd: 5 };
  const cost = await nebulaCost(commonDir(place), state);
  const short = shortages({ ...facts, limits, cost }, () => 0);
  expect(short).toMatchObject([{ phase: "b", limit: "total" }]);
  expect((await apply(short[0]?.neededUsd ?? 0)).reason).toBe("done");
});

test("a phase that has begun and whose total is used up continues with a larger total", async () => {
  const place = aPlace({}, limited(9));
  const all = Number.POSITIVE_INFINITY;
  const { optionsOf } = payingAgents(all, WORK, [ISSUE, "APPROVED: it is there"]);
  const limits = { maxWorkers: 1, totalUsd: 2.5, phaseUsd: 5 };
  const { reason, state } = await place.apply({}, { limits, optionsOf });
  expect([reason, state.phases[0]?.question]).toEqual(["budget", "budget"]);
  const more = { ...limits, totalUsd: 20 };
  expect((await place.apply({}, { limits: more, optionsOf })).reason).toBe("done");
});

test("while one phase waits for a larger limit, others are worked on", async () => {
  const place = aPlace({}, { ...limited(1e-3), "b.md": phase("b", "max_budget_usd = 1") });
  const { reason, state } = await place.apply(WORK);
  expect(reason).toBe("budget");
  expect(state.phases.map(({ status }) => status)).toEqual(["awaiting_human", "done"]);
});

/** Which limits are too small as a nebula stands, as screens say it. */
async function shortOf(place: Place, totalUsd: number) {
  const state = newest(place);
  const facts = { spec: keptSpec(commonDir(place), state), state };
  const limits = { maxWorkers: 1, totalUsd, phaseUsd: 5 };
  return shortages({ ...facts, limits, cost: await nebulaCost(commonDir(place), state) }, () => 0);
}

/** Agents whose first review is refused, and that do not report what they cost, or report all that they may. */
function agentsFailingOnce(kind: "unreported" | "bounded") {
  const { offered, optionsOf: paying } = payingAgents(Number.POSITIVE_INFINITY, WORK, [
    ISSUE,
    "APPROVED: it is there",
  ]);
  const of = (agent: AgentInvoker): AgentInvoker => {
    if (kind === "bounded") return { ...agent, responseBoundUsd: () => 0.8 };
    return {
      ...agent,
      async invoke(...given) {
        const { costUsd: _, ...result } = await agent.invoke(...given);
        return { ...result, costSource: "unknown" };
      },
    };
  };
  const optionsOf: typeof paying = (spec) => {
    const { coder, reviewer, ...rest } = paying(spec);
    return { ...rest, coder: of(coder), reviewer: of(reviewer), maxCycles: 1 };
  };
  return { offered, optionsOf };
}

test.for([
  ["that report no cost", "unreported", 6, 7.2],
  ["whose responses are bounded", "bounded", 3.5, 6.86],
] as const)(
  "what is advised once a phase that used its limit is retried stays the same, and is enough, with agents %s",
  async ([, kind, limitUsd, neededUsd]) => {
    const place = aPlace({}, limited(limitUsd));
    const { offered, optionsOf } = agentsFailingOnce(kind);
    const apply = (totalUsd: number) =>
      place.apply({}, { limits: { maxWorkers: 1, totalUsd, phaseUsd: 5 }, optionsOf });
    // Both limits have to be larger, and are named at once.
    const totalUsd = limitUsd + 0.05;
    expect((await apply(totalUsd)).reason).toBe("failed");
    expect(await costOf(place)).toBeCloseTo(limitUsd);
    const retried = { verb: "retry", phase: "a" } as const;
    expect(answerPhase(commonDir(place), newest(place), retried)).toEqual({ kind: "done" });
    const advised = [
      { phase: "a", limit: "phase", neededUsd },
      { phase: "a", limit: "total", neededUsd },
    ] as const;
    expect(await shortOf(place, totalUsd)).toMatchObject(advised);
    const waits = await apply(totalUsd);
    expect(waits.reason).toBe("budget");
    expect(waits.state.phases[0]).toMatchObject({ question: "budget", neededUsd });
    expect(await shortOf(place, totalUsd)).toMatchObject(advised);
    // Less than that is named with the limit as it is by then.
    update(place, limited(limitUsd + 0.01));
    expect((await apply(totalUsd)).reason).toBe("budget");
    const [short] = await shortOf(place, totalUsd);
    expect(short?.why).toMatch(`of $${(limitUsd + 0.01).toFixed(2)}`);
    answerPhase(commonDir(place), newest(place), retried);
    expect((await shortOf(place, totalUsd)).map(({ limit }) => limit)).toEqual(["phase", "total"]);
    update(place, limited(neededUsd));
    const done = await apply(neededUsd);
    expect([done.reason, offered.length]).toEqual(["done", 2]);
  },
);
