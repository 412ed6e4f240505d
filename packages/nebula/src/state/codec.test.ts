import { expect, test } from "vitest";
import { decodeSaved, encodeState } from "./codec.ts";
import { NO_EVENTS } from "./recent-events.ts";
import { NO_PUSH, type NebulaState, pendingPhase, type PhaseState } from "./state.ts";

const AT = new Date(0);

function aState(change: Partial<PhaseState>): NebulaState {
  return {
    ...{ id: "aaaaaaaaaa", name: "demo", branch: "nebula/demo", dir: "/demo", ...NO_PUSH },
    ...{ base: "1".repeat(40), revision: "0", createdAt: AT.toISOString(), planVerdict: "" },
    ...{ planReason: "", archivedFrom: "", archivedTip: "", acceptedFailures: [] },
    ownsBranch: true,
    phases: [{ ...pendingPhase("a", "p1-00000000", AT), ...change }],
  };
}

const textOf = (change: Partial<PhaseState>): string =>
  Buffer.from(encodeState({ state: aState(change), recent: NO_EVENTS })).toString();

test("the machines of a phase's runs are kept, whatever they are called", () => {
  const machines = { "20261120-230405-abcdef": 'one"\n\u001b[2J', r2: "" };
  const { state } = decodeSaved(Buffer.from(textOf({ runs: ["r2"], machines })));
  expect(state.phases[0]?.machines).toEqual(machines);
});

test("what a phase's runs have cost is kept", () => {
  const costs = { r1: { spentUsd: 0.5, unknownUsd: 0.1, hasUnreportedCosts: true } };
  const { state } = decodeSaved(Buffer.from(textOf({ runs: ["r1"], costs })));
  expect(state.phases[0]?.costs).toEqual(costs);
});

test("a nebula of one machine says nothing of machines, or of costs", () => {
  const text = textOf({ runs: ["r1"] });
  expect(text).not.toMatch(/machine|cost/u);
  expect(decodeSaved(Buffer.from(text)).state.phases[0]).not.toHaveProperty("machines");
});
