import type { AgentInvoker } from "@quasar/agents";
import { setTimeout as sleep } from "node:timers/promises";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import type { Told } from "../src/events.ts";
import { nebulaCost } from "../src/state/cost.ts";
import { listNebulae } from "../src/state/list.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  phase,
  type Place,
  type Work,
  write,
  commonDir,
} from "./place.ts";

// Three workers, and a total that is reached in the middle of them: whatever dies when, no more is spent than was
// allowed, the ledgers tell at least what was spent, and what was set apart is released once.

const IDS = Array.from("abcdef");
const WORKERS = 3;
const TOTAL_USD = 3;
const PHASE_USD = 1.2;
/** A coder takes all that a turn of it may cost. */
const CODER_USD = Number.POSITIVE_INFINITY;
const REVIEWER_USD = 0.02;

const FILES = {
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = ${WORKERS}\nmax_budget_usd = ${PHASE_USD}\n`,
  ...Object.fromEntries(IDS.map((id) => [`${id}.md`, phase(id)])),
};
const WORK: Work = Object.fromEntries(
  IDS.map((id) => [`Phase ${id}`, (tree: string) => write(tree, { [id]: id })]),
);

class Died extends Error {}

/** Agents that keep to what each turn may cost, and what they have been paid in all. */
function paidAgents() {
  const paid = { usd: 0, open: 0 };
  const agents = agentsOf(WORK);
  const paying = (agent: AgentInvoker, wish: number): AgentInvoker => ({
    ...agent,
    async invoke(request, ...rest) {
      const costUsd = Math.min(wish, request.maxCostUsd ?? PHASE_USD);
      paid.usd += costUsd;
      paid.open += 1;
      // Turns of several phases are under way at once.
      await sleep(50);
      const result = await agent.invoke(request, ...rest);
      paid.open -= 1;
      return { ...result, costUsd };
    },
  });
  return {
    paid,
    optionsOf: (spec: { readonly title: string }) => {
      const { coder, reviewer } = agents(spec);
      return {
        coder: paying(coder, CODER_USD),
        reviewer: paying(reviewer, REVIEWER_USD),
        maxCycles: 1,
      };
    },
  };
}

const limits = { maxWorkers: WORKERS, totalUsd: TOTAL_USD, phaseUsd: PHASE_USD };
const stateOf = ({ repo }: Place) => listNebulae(`${repo}/.git`)[0];

/** Which event of an engine kills it; 0: none does. */
const DEATHS = Array.from({ length: 18 }, (_, at) => at);

test.for(sample(DEATHS, 2, 5))(
  "the total holds, whatever dies after event %i",
  { timeout: 180_000 },
  async (at) => {
    const place = aPlace({}, FILES);
    const { paid, optionsOf } = paidAgents();
    const death = new AbortController();
    let events = 0;
    const onEvent = (event: Told): void => {
      place.told.push(event);
      if (event.type === "run_event" || event.type === "warning") return;
      if (event.type === "phase_begun") expectFair(place, event.phase);
      if ((events += 1) !== at) return;
      death.abort();
      throw new Died();
    };
    await place
      .apply(WORK, { limits, optionsOf, onEvent, signal: death.signal })
      .catch((error: unknown) => {
        if (!(error instanceof Died) && !death.signal.aborted) throw error;
      });
    const { reason, state } = await place.apply(WORK, { limits, optionsOf, onEvent });
    expect(reason).toBe("budget");
    expect(paid.open).toBe(0);
    const { total } = await nebulaCost(commonDir(place), state);
    expect(paid.usd).toBeLessThanOrEqual(TOTAL_USD + 1e-9);
    expect(total.spentUsd).toBeGreaterThanOrEqual(paid.usd - 1e-9);
    // Nothing is set apart any more, and each phase has landed once or was never begun.
    expect(state.phases.every(({ reservedUsd }) => reservedUsd === 0)).toBe(true);
    const statuses = new Set(state.phases.map(({ status }) => status));
    expect(statuses).toEqual(new Set(["done", "pending"]));
    const done = state.phases.filter(({ status }) => status === "done");
    expect(place.landings()).toHaveLength(done.length);
    // With more, all of it is done.
    const more = { ...limits, totalUsd: 100 };
    expect((await place.apply(WORK, { limits: more, optionsOf })).reason).toBe("done");
    expect(place.landings().toSorted()).toEqual(IDS.map((id) => `Land ${id}: Phase ${id}`));
  },
);

/** A phase begins with a fifth of its limit at least, and all that is set apart is within the total. */
function expectFair(place: Place, id: string): void {
  const phases = stateOf(place)?.phases ?? [];
  const begun = phases.find((each) => each.id === id);
  expect(begun?.reservedUsd).toBeGreaterThanOrEqual(PHASE_USD / 5 - 1e-6);
  const reserved = phases.reduce((sum, { reservedUsd }) => sum + reservedUsd, 0);
  expect(reserved).toBeLessThanOrEqual(TOTAL_USD + 1e-9);
}
