import { createMemoryCheckpointStore } from "@quasar/checkpoint";
import { expect, test } from "vitest";
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

const STUBBORN = "lint that nobody mends";

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
    name: STUBBORN,
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

/** Simulates in a git repository of its own. */
async function simulateOnGit(scenario: Scenario, kills: readonly number[]): Promise<Traces> {
  const tree = createWorkTree();
  try {
    tree.write("file", "");
    tree.git("add", "-A");
    tree.git("commit", "-q", "-m", "an empty file");
    return await simulate(scenario, await createGitGround(tree), kills, LONG);
  } finally {
    tree.remove();
  }
}

async function createGitGround(tree: WorkTree): Promise<Ground> {
  const repository = await openLoopRepository(tree.dir);
  if (repository === undefined) throw new Error("no repository");
  return {
    store: createMemoryCheckpointStore(),
    workDir: tree.dir,
    repository,
    read: () => tree.files()["file"] ?? "",
    committed: () => tree.git("show", "HEAD:file"),
    write: (text) => tree.write("file", text),
    subjects: () => tree.subjects().slice(1),
    files: () => tree.files(),
  };
}

/** What a crash may not change, and what it may cost: the names of what it broke. */
function broken(traces: Traces, whole: Traces, scenario: Scenario): readonly string[] {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const { result, billed, kills, invocations } = traces;
  const mayRepeat = scenario.supervised === true ? 0 : kills;
  const laws: Record<string, boolean> = {
    "commits are the same": same(traces.subjects, whole.subjects),
    "no cycle's work is committed twice": same(
      withoutFixes(traces.subjects),
      withoutFixes(whole.subjects),
    ),
    "nothing is left uncommitted": traces.clean,
    "the final tree is the same": same(traces.files, whole.files),
    "the findings on record are the same": same(
      traces.children.toSorted(),
      whole.children.toSorted(),
    ),
    "no finished turn is bought again": traces.repeated.length === 0,
    "nothing is left to resume": !traces.stored,
    "no turn is skipped": invocations >= whole.invocations,
    "a crash repeats one unfinished turn at most": invocations <= whole.invocations + mayRepeat,
    "a resumed run says so first": traces.events
      .slice(1)
      .every(([first]) => first === undefined || first === "resumed" || first === "warning"),
  };
  if (result !== undefined && whole.result !== undefined) {
    const { totalCostUsd } = result;
    Object.assign(laws, {
      "the outcome is the same": result.outcome === whole.result.outcome,
      "the cycle is the same": result.cycle === whole.result.cycle,
      "the report is the same": same(result.report, whole.result.report),
      "the findings are the same": same(result.allFindings, whole.result.allFindings),
      "each cycle has one commit":
        result.cycleCommits.length === whole.result.cycleCommits.length &&
        result.cycleCommits.every((sha) => sha !== ""),
      "no cost is forgotten": totalCostUsd >= billed - 1e-9,
      "no cost is invented": totalCostUsd <= billed + traces.lostReservations + 1e-9,
    });
  }
  return Object.keys(laws).filter((law) => laws[law] !== true);
}

const withoutFixes = (subjects: readonly string[]): readonly string[] =>
  subjects.filter((subject) => !subject.endsWith("(lint fix)"));

/** `QUASAR_PROOF=long`: pairs at every event as well, all scenarios on real git; takes minutes. */
const LONG = process.env["QUASAR_PROOF"] === "long";
const TIMEOUT = LONG ? 600_000 : 60_000;

test.each([...SCENARIOS, ...SUPERVISED])(
  "a run of $name ends the same wherever its runner is killed once",
  { timeout: TIMEOUT },
  async (scenario) => {
    const ground = (): Ground => createMemoryGround(createMemoryCheckpointStore());
    const whole = await simulate(scenario, ground());
    expect(whole.result?.outcome).toBe("approved");
    expect(whole.points).toBeGreaterThan(20);
    for (let k = 0; k < whole.points; k += 1) {
      const traces = await simulate(scenario, ground(), [k]);
      expect(traces.kills).toBe(1);
      expect(broken(traces, whole, scenario), `killed at ${k}`).toEqual([]);
    }
  },
);

const PAIRED = [...SCENARIOS.filter(({ name }) => name !== STUBBORN), ...SUPERVISED.slice(0, 1)];

test.each(LONG ? [...SCENARIOS, ...SUPERVISED] : PAIRED)(
  "a run of $name ends the same wherever its runner is killed twice",
  { timeout: TIMEOUT },
  async (scenario) => {
    const whole = await simulate(scenario, createMemoryGround(), [], LONG);
    const violations: string[] = [];
    let runs = 0;
    for (let k = 0; k < whole.points; k += 1) {
      for (let j = 0; ; j += 1) {
        const traces = await simulate(scenario, createMemoryGround(), [k, j], LONG);
        if (traces.kills < 2) break;
        runs += 1;
        const laws = broken(traces, whole, scenario);
        violations.push(...laws.map((law) => `killed at ${k} and ${j}: ${law}`));
      }
    }
    expect(violations).toEqual([]);
    expect(runs).toBeGreaterThan(100);
  },
);

/** What a crash may break without saves around turns: the half of a lint fix is committed as one. */
const BY_TURNS: readonly string[] = [
  "a crash repeats one unfinished turn at most",
  "no cost is forgotten",
  "no cost is invented",
  "commits are the same",
];
/** And what it may break before the first cycle is whole: then there is nothing to resume. */
const BY_CYCLE: readonly string[] = [...BY_TURNS, "no cycle's work is committed twice"];

// Lint that nobody mends is left out: its tree counts the fixes, and one that left no trace is unknown.
test.each(SCENARIOS.filter(({ name }) => name !== STUBBORN))(
  "a run of $name with the seed's granularity ends the same wherever it is killed once",
  async (scenario) => {
    const coarse = { ...scenario, granularity: "cycle" } as const;
    const whole = await simulate(coarse, createMemoryGround());
    let resumed = 0;
    for (let k = 0; k < whole.points; k += 1) {
      const traces = await simulate(coarse, createMemoryGround(), [k]);
      const isResumed = traces.events[1]?.[0] === "resumed";
      resumed += isResumed ? 1 : 0;
      const allowed = isResumed ? BY_TURNS : BY_CYCLE;
      const laws = broken(traces, whole, coarse).filter((law) => !allowed.includes(law));
      expect(laws, `killed at ${k}`).toEqual([]);
    }
    expect(resumed).toBeGreaterThan(2);
  },
);

test.each(LONG ? SCENARIOS : SCENARIOS.slice(0, 1))(
  "a run of $name in a real repository ends the same wherever it is killed",
  { timeout: TIMEOUT },
  async (scenario) => {
    const whole = await simulateOnGit(scenario, []);
    for (let k = 0; k < whole.points; k += LONG ? 1 : 2) {
      const traces = await simulateOnGit(scenario, [k]);
      expect(broken(traces, whole, scenario), `killed at ${k}`).toEqual([]);
    }
  },
);
