import { afterAll, describe, expect, test } from "vitest";
import { openLoopRepository } from "../src/repository.ts";
import {
  createMemoryGround,
  type Ground,
  type Scenario,
  simulate,
  type Traces,
} from "./simulation.ts";
import { createWorkTree, type WorkTree } from "./work-tree.ts";

const version = (text: string): string => /v\d/u.exec(text)?.[0] ?? "v0";

/** A coder that does what the newest finding asks, and nothing by itself. */
const obedient = (text: string, prompt: string): string => {
  if (prompt.includes("lint checks")) return version(text);
  return /needs (v\d)/u.exec(prompt)?.[1] ?? "v1";
};

const wants = (last: string) => (text: string) => {
  if (text === last) return "APPROVED: good\n\nREPORT:\nRISK: low\n";
  const next = `v${Number(version(text).slice(1)) + 1}`;
  return `ISSUE:\nSEVERITY: major\nDESCRIPTION: needs ${next}\n`;
};

const SCENARIOS: readonly Scenario[] = [
  { name: "two cycles", code: obedient, review: wants("v2") },
  { name: "three cycles", code: obedient, review: wants("v3") },
  {
    name: "lint that the coder mends",
    options: { lint: [{ name: "style", command: "" }] },
    code: (text, prompt) =>
      prompt.includes("lint checks") ? version(text) : `${obedient(text, prompt)} dirty`,
    review: wants("v2"),
    checks: { style: (text) => !text.includes("dirty") },
  },
  {
    name: "lint that nobody mends",
    options: { lint: [{ name: "style", command: "" }], maxLintRetries: 2 },
    code: (text, prompt) =>
      prompt.includes("lint checks")
        ? `${version(text)} dirty${"!".repeat(1 + (text.match(/!/gu) ?? []).length)}`
        : `${obedient(text, prompt)} dirty`,
    review: (text) =>
      text.startsWith("v2") ? "APPROVED: so be it\n" : "ISSUE:\nDESCRIPTION: needs v2\n",
    checks: { style: (text) => !text.includes("dirty") },
  },
  {
    name: "a filter that sends the first cycle back",
    options: { filters: [{ name: "tests", command: "" }] },
    code: (_text, prompt) => (prompt.includes("[filter:tests]") ? "v2" : "v1"),
    review: wants("v2"),
    checks: { tests: (text) => text !== "v1" },
  },
  {
    name: "a coder that has nothing to change",
    code: () => "",
    review: () => "APPROVED: it was done already\n",
  },
];

const SUPERVISED = SCENARIOS.map((scenario) => ({
  ...scenario,
  name: `${scenario.name}, agents outliving their runner`,
  supervised: true,
}));

const trees: WorkTree[] = [];
afterAll(() => {
  for (const tree of trees) tree.remove();
});

async function createGitGround(): Promise<Ground> {
  const tree = createWorkTree();
  trees.push(tree);
  const repository = await openLoopRepository(tree.dir);
  if (repository === undefined) throw new Error("no repository");
  tree.write("file", "");
  tree.git("add", "-A");
  tree.git("commit", "-q", "-m", "an empty file");
  return {
    workDir: tree.dir,
    repository,
    read: () => tree.files()["file"] ?? "",
    committed: () => tree.git("show", "HEAD:file"),
    write: (text) => tree.write("file", text),
    subjects: () => tree.subjects().slice(1),
    files: () => tree.files(),
  };
}

/** What a crash may not change, and what it may cost. */
function expectSame(traces: Traces, whole: Traces, scenario: Scenario): void {
  expect(traces.subjects).toEqual(whole.subjects);
  expect(traces.files).toEqual(whole.files);
  expect(traces.children.toSorted()).toEqual(whole.children.toSorted());
  expect(traces.repeated).toEqual([]);
  expect(traces.stored).toBe(false);
  const mayRepeat = scenario.supervised === true ? 0 : traces.kills;
  expect(traces.invocations).toBeGreaterThanOrEqual(whole.invocations);
  expect(traces.invocations).toBeLessThanOrEqual(whole.invocations + mayRepeat);
  for (const log of traces.events.slice(1)) {
    if (log[0] !== "resumed") expect(log[0]).toBe("cycle_start");
  }
  const { result } = traces;
  if (result === undefined) return;
  expect(result.outcome).toBe(whole.result?.outcome);
  expect(result.cycle).toBe(whole.result?.cycle);
  expect(result.allFindings).toEqual(whole.result?.allFindings);
  expect(result.cycleCommits).toHaveLength(whole.result?.cycleCommits.length ?? 0);
  expect(result.report).toEqual(whole.result?.report);
  expect(result.totalCostUsd).toBeGreaterThanOrEqual(traces.billed - 1e-9);
  expect(result.totalCostUsd).toBeLessThanOrEqual(traces.billed + traces.lostReservations + 1e-9);
}

/** Pairs at every event as well, and every scenario on real git: minutes rather than seconds. */
const LONG = process.env["QUASAR_PROOF"] === "long";
const TIMEOUT = LONG ? 600_000 : 60_000;

describe.each([...SCENARIOS, ...SUPERVISED])("a run of $name", (scenario) => {
  test("ends the same wherever its runner is killed once", { timeout: TIMEOUT }, async () => {
    const whole = await simulate(scenario, createMemoryGround());
    expect(whole.result?.outcome).toBe("approved");
    expect(whole.points).toBeGreaterThan(20);
    for (let k = 0; k < whole.points; k += 1) {
      const traces = await simulate(scenario, createMemoryGround(), [k]);
      expect(traces.kills, `kill at ${k}`).toBe(1);
      expectSame(traces, whole, scenario);
    }
  });

  test("ends the same wherever its runner is killed twice", { timeout: TIMEOUT }, async () => {
    const whole = await simulate(scenario, createMemoryGround(), [], LONG);
    let runs = 0;
    for (let k = 0; k < whole.points; k += 1) {
      for (let j = 0; ; j += 1) {
        const traces = await simulate(scenario, createMemoryGround(), [k, j], LONG);
        if (traces.kills < 2) break;
        runs += 1;
        expectSame(traces, whole, scenario);
      }
    }
    expect(runs).toBeGreaterThan(100);
  });
});

test.each(LONG ? SCENARIOS : SCENARIOS.slice(2, 3))(
  "a run of $name in a real repository ends the same wherever it is killed",
  { timeout: TIMEOUT },
  async (scenario) => {
    const whole = await simulate(scenario, await createGitGround(), [], LONG);
    for (let k = 0; k < whole.points; k += 1) {
      expectSame(await simulate(scenario, await createGitGround(), [k], LONG), whole, scenario);
    }
  },
);
