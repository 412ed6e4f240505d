import { expect, test, vi } from "vitest";
import type { Engine } from "../src/context/context.ts";
import { continueFunded } from "../src/engine/fund.ts";
import type { NebulaCost } from "../src/state/cost.ts";
import { type PhaseState, pendingPhase } from "../src/state/state.ts";
import { aSpec } from "./a-nebula.ts";

const reads = vi.hoisted(() => ({ count: 0 }));

vi.mock(import("../src/state/cost.ts"), async (original) => {
  const real = await original();
  const nebulaCost = async (): Promise<NebulaCost> => {
    reads.count += 1;
    return { total: real.NOTHING, phases: new Map() };
  };
  return { ...real, nebulaCost };
});

test("all ledgers are read once for all phases that wait for a larger limit, and money is given once", async () => {
  const waiting = (id: string): PhaseState => ({
    ...pendingPhase(id, `p-${id}`, new Date()),
    ...{ status: "awaiting_human", question: "budget", neededUsd: 3 },
  });
  let phases: readonly PhaseState[] = [waiting("a"), waiting("b")];
  const store = {
    get current() {
      return { phases };
    },
    change(id: string, change: Partial<PhaseState>) {
      phases = phases.map((each) => (each.id === id ? { ...each, ...change } : each));
    },
  };
  const engine = {
    ...{ store, spec: aSpec({ a: [], b: [] }), repository: { commonDir: "/" }, tell: () => {} },
    ...{ limits: { maxWorkers: 1, totalUsd: 5, phaseUsd: 4 }, optionsOf: () => ({}) },
  } as unknown as Engine;
  await continueFunded(engine);
  expect(reads.count).toBe(1);
  expect(phases.map(({ status }) => status)).toEqual(["pending", "awaiting_human"]);
  expect(phases[0]?.reservedUsd).toBe(4);
});
