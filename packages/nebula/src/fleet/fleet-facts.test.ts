import { expect, test } from "vitest";
import { LANE, type NebulaStatus } from "../port/index.ts";
import { type NebulaState, NO_PUSH, pendingPhase, type PhaseState } from "../state/state.ts";
import { fleetNebulaFacts } from "./fleet-facts.ts";
import { continueHistory, NO_HISTORY } from "./history.ts";

const AT = "2026-11-20T23:04:05.000Z";
const LATER = "2026-11-20T23:59:00.000Z";
const QUESTION = "q-01234567";
const CONTINUE = "quasar nebula continue aaaaaaaaaa";

function aState(changes: Readonly<Record<string, Partial<PhaseState>>>): NebulaState {
  return {
    ...{ id: "aaaaaaaaaa", name: "demo", branch: "nebula/demo", dir: "/demo", ...NO_PUSH },
    ...{ base: "1".repeat(40), revision: "0", createdAt: AT, planVerdict: "", planReason: "" },
    ...{ archivedFrom: "", archivedTip: "", acceptedFailures: [], ownsBranch: true },
    phases: Object.entries(changes).map(([id, change]) => ({
      ...pendingPhase(id, `ref-${id}`, new Date(AT)),
      ...change,
    })),
  };
}

const RUNNING: Partial<PhaseState> = { status: "running", runId: "r1", runs: ["r1"] };

const held = (work: string, machine: string): NebulaStatus["holders"][number] => ({
  ...{ work, machine, worker: `${machine}.1`, epoch: { n: 1, writer: "00000000" } },
});

interface Given {
  readonly phases: Readonly<Record<string, Partial<PhaseState>>>;
  readonly status?: Partial<NebulaStatus>;
  readonly events?: readonly unknown[];
}

function factsOf({ phases, status, events = [] }: Given) {
  return fleetNebulaFacts({
    state: aState(phases),
    status: {
      ...{ name: "demo", depot: "/depot.git", rev: "", state: "", offers: [], results: [] },
      ...{ orders: { isPaused: false, stop: "" }, inbox: [], holders: [], ...status },
    },
    history: continueHistory(NO_HISTORY, events),
    ...{ continueStep: CONTINUE, at: new Date("2026-11-20T23:30:00Z") },
  });
}

test("a phase has the machine that holds its work; one that lands has the machine with the lane", () => {
  const holders = [held(LANE, "one"), held("ref-works", "two"), held("ref-done", "two")];
  const { phases, ...nebula } = factsOf({
    phases: {
      works: RUNNING,
      offered: RUNNING,
      lands: { status: "landing" },
      done: { status: "done", landing: 1, candidate: "2".repeat(40) },
      pending: {},
    },
    status: { holders },
  });
  expect(nebula).toMatchObject({ status: "working", fleet: { isWorking: true, lane: "one" } });
  expect(
    phases.map((phase) => [phase.id, phase.machine, phase.isWorkedOn, phase.standing]),
  ).toEqual([
    ["works", "two", true, "works"],
    ["offered", "", false, "pending"],
    ["lands", "one", false, "approved"],
    ["done", "", false, "landed"],
    ["pending", "", false, "pending"],
  ]);
});

test("an attempt has the machine on which it has come to something", () => {
  const runs = { runs: ["r1", "r2"], machines: { r1: "one" } };
  const holders = [held("ref-a", "two")];
  const given = { phases: { a: { ...RUNNING, ...runs }, b: RUNNING }, status: { holders } };
  const { phases } = factsOf(given);
  expect(phases.map(({ machines }) => machines)).toEqual([["one", "two"], []]);
  expect(phases.map(({ attempts }) => attempts.map(({ machine }) => machine))).toEqual([
    ["one", undefined],
    [undefined],
  ]);
});

test("runs that came to something cost what the state says, one that works at least nothing", () => {
  const r1 = { spentUsd: 0.5, unknownUsd: 0.1, hasUnreportedCosts: false };
  const runs = { runs: ["r1", "r2"], costs: { r1 } };
  const ended = factsOf({ phases: { a: { ...runs, runs: ["r1"] } } });
  expect(ended.money).toMatchObject({ ...r1, knownUsd: 0.4 });
  const { money } = factsOf({ phases: { a: { ...RUNNING, ...runs } } });
  expect(money).toMatchObject({ ...r1, hasUnreportedCosts: true });
});

test("what its runs have cost is not known, and is no zero", () => {
  expect(factsOf({ phases: { a: {} } }).money.hasUnreportedCosts).toBe(false);
  const { money, phases } = factsOf({ phases: { a: RUNNING, b: {} } });
  expect(money.hasUnreportedCosts).toBe(true);
  expect(phases.map((phase) => phase.money.hasUnreportedCosts)).toEqual([true, false]);
});

test.for([
  ["nobody works", {}, { status: "stopped", pauseEnds: [], stops: undefined }],
  [
    "it is paused",
    { orders: { isPaused: true, stop: "" }, holders: [held(LANE, "one")] },
    { status: "paused", pauseEnds: [CONTINUE], stops: undefined },
  ],
  [
    "it stops",
    { orders: { isPaused: false, stop: "now" }, holders: [held("ref-a", "one")] },
    { status: "paused", pauseEnds: [CONTINUE], stops: { isNow: true } },
  ],
  [
    "it was stopped",
    { orders: { isPaused: false, stop: "after-turns" } },
    { status: "paused", pauseEnds: [CONTINUE], stops: undefined },
  ],
] as const)("its orders say how it stands: %s", ([, status, expected]) => {
  expect(factsOf({ phases: { a: RUNNING }, status })).toMatchObject(expected);
});

const ASKED = {
  ...{ type: "question_asked", at: AT, phase: "a", id: QUESTION, cycle: 1, role: "coder" },
  ...{ kind: "blocker", summary: "Which one?", detail: "", options: ["x", "y"] },
};

test("what an agent asks is a need until somebody has answered", () => {
  const asking = { phases: { a: { ...RUNNING, questions: [QUESTION] } }, events: [ASKED] };
  expect(factsOf(asking)).toMatchObject({
    needs: [{ kind: "agent", phase: "a", questionId: QUESTION, text: "Which one?" }],
    openQuestions: [{ options: ["x", "y"], runId: "r1", askedAt: AT }],
  });
  const inbox = [{ key: "1", id: `question/${QUESTION}` as const, value: null }];
  expect(factsOf({ ...asking, status: { inbox } }).needs).toEqual([]);
  expect(factsOf({ ...asking, events: [{ ...ASKED, options: 3 }] }).needs).toEqual([]);
});

test("a usage limit is known until it is over", () => {
  const limited = { type: "agent_limited", at: AT, phase: "a", agent: "claude", message: "" };
  const of = (until: string) =>
    factsOf({ phases: { a: { limitedBy: "claude" } }, events: [{ ...limited, until }] }).phases[0];
  expect(of(LATER)).toMatchObject({ retryAt: LATER, standing: "limited" });
  expect(of(AT)).toMatchObject({ retryAt: "", standing: "pending" });
});

test("what a server sends that is no event is counted", () => {
  const facts = factsOf({ phases: { a: {} }, events: [null, "x", { type: "new" }] });
  expect(facts.problems).toEqual(["3 events of its journal cannot be read"]);
});
