import { type Checkpoint, createCheckpoint, type Phase } from "@quasar/checkpoint";
import { expect, test } from "vitest";
import { forkOf } from "./fork.ts";

const RUN = "20261121-101500-7f3a9c";
const [FIRST, SECOND] = ["1".repeat(40), "2".repeat(40)];

/** A run in its second cycle, of which the first one found something. */
function inCycleTwo(phase: Phase, change: Partial<Checkpoint> = {}): Checkpoint {
  const finding = {
    id: "f-1",
    severity: "major",
    description: "flaw",
    cycle: 1,
    status: "fixed",
  } as const;
  return createCheckpoint({
    runId: RUN,
    taskTitle: "Write",
    taskBeadId: `task-${RUN}`,
    phase,
    cycle: 2,
    maxCycles: 3,
    maxBudgetUsd: 5,
    totalCostUsd: 2,
    unknownCostUsd: 1,
    hasUnreportedCosts: true,
    outcome: { outcome: "budget", message: "used up", allow: [], requests: 0 },
    settings: { lint: "make lint" },
    neededBudgetUsd: 9,
    failure: "budget",
    retryAt: "2026-11-21T12:00:00Z",
    gitSha: SECOND,
    cycleCommits: [FIRST, SECOND],
    filterHistory: ["", "npm test"],
    findings: [finding],
    allFindings: [finding, { ...finding, id: "f-2", cycle: 2, status: "still_present" }],
    untouchablePaths: ["mine.txt"],
    ...change,
  });
}

const options = {
  runId: "20261122-101500-7f3a9c",
  at: undefined,
  createdAt: "2026-11-22T00:00:00Z",
};

test.for([
  ["bead_created", "bead_created"],
  ["coding", "bead_created"],
  ["code_complete", "code_complete"],
  ["linting", "code_complete"],
  ["filtering", "code_complete"],
  ["reviewing", "code_complete"],
  ["review_complete", "review_complete"],
  ["resolving_issues", "resolving_issues"],
] as const)("a run in the phase %s is forked at %s, where its work is committed", ([phase, to]) => {
  expect(forkOf(inCycleTwo(phase), options)).toMatchObject({ phase: to, cycle: 2, gitSha: SECOND });
});

test("a fork has an account, a task and marks of its own", () => {
  expect(forkOf(inCycleTwo("linting"), options)).toMatchObject({
    runId: options.runId,
    taskBeadId: `task-${options.runId}`,
    taskTitle: "Write",
    createdAt: options.createdAt,
    neededBudgetUsd: 0,
    revision: 0,
    totalCostUsd: 0,
    unknownCostUsd: 0,
    hasUnreportedCosts: false,
    outcome: undefined,
    settings: { lint: "make lint" },
    maxBudgetUsd: 5,
    ledger: [],
    failure: "",
    retryAt: "",
    untouchablePaths: [],
    turn: undefined,
  });
});

test("a fork at a cycle knows nothing of later ones", () => {
  const fork = forkOf(inCycleTwo("filtering"), { ...options, at: 1 });
  expect(fork).toMatchObject({
    phase: "resolving_issues",
    cycle: 1,
    gitSha: FIRST,
    cycleCommits: [FIRST],
    filterHistory: [""],
    findings: [{ id: "f-1", status: "found" }],
    allFindings: [{ id: "f-1", status: "found" }],
  });
});

test("earlier findings stand as that cycle's review left them, where the journal says so", () => {
  const finding = { severity: "major", description: "flaw" } as const;
  const run = inCycleTwo("review_complete", {
    cycle: 3,
    cycleCommits: [FIRST, SECOND, "3".repeat(40)],
    allFindings: [
      { ...finding, id: "f-1", cycle: 1, status: "fixed" },
      { ...finding, id: "f-2", cycle: 2, status: "fixed" },
    ],
  });
  const all = [
    { id: "f-1", cycle: 1, status: "still_present" },
    { id: "f-2", cycle: 2, status: "found" },
    { id: "f-1", cycle: 1, status: "<script>" },
    null,
  ];
  const facts = [{ type: "review_complete", cycle: 2, all }];
  const statuses = (at: typeof facts): readonly string[] =>
    forkOf(run, { ...options, at: 2, facts: at }).allFindings.map(({ status }) => status);
  expect(statuses(facts)).toEqual(["still_present", "found"]);
  expect(statuses([])).toEqual(["fixed", "found"]);
});

test.for([
  ["filtering", 2],
  ["review_complete", 3],
  ["review_complete", 0],
  ["coding", 2],
] as const)(
  "a run in the phase %s is not forked at cycle %d, which is not whole",
  ([phase, at]) => {
    const act = (): Checkpoint => forkOf(inCycleTwo(phase), { ...options, at });
    expect(act).toThrow(expect.objectContaining({ code: "ERR_USAGE" }));
  },
);

test.for([undefined, 2])("an approved run is not forked at its end (%j)", (at) => {
  const act = (): Checkpoint => forkOf(inCycleTwo("approved"), { ...options, at });
  expect(act).toThrow(expect.objectContaining({ code: "ERR_NOTHING_TO_RESUME" }));
});
