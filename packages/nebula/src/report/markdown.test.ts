import { expect, test } from "vitest";
import type { RunFacts } from "@quasar/runs/facts";
import { nebulaFacts, type NebulaSources } from "../facts/facts.ts";
import { redactNebulaFacts } from "../facts/redact.ts";
import { continueStory, NO_STORY } from "../facts/story.ts";
import { NO_PUSH, type NebulaState, pendingPhase, type PhaseState } from "../state/state.ts";
import { nebulaMarkdown } from "./markdown.ts";

const [SHA, TREE] = ["a".repeat(40), "b".repeat(40)];
const HOSTILE =
  "@everyone fixes #1 ![x](http://x/y.png) <img src=x>\n# forged | `x` ```\u001b[2J\u202e";

function aPhase(id: string, change: Partial<PhaseState> = {}): PhaseState {
  return { ...pendingPhase(id, "p1-00000000", new Date(0)), ...change };
}

function aState(phases: readonly PhaseState[], change: Partial<NebulaState> = {}): NebulaState {
  return {
    ...{ id: "abcdefghij", name: "demo", branch: "nebula/demo", dir: "/n", base: SHA },
    ...{ revision: "1", planVerdict: "", planReason: "", createdAt: new Date(0).toISOString() },
    ...{ archivedFrom: "", archivedTip: "", acceptedFailures: [], ownsBranch: true },
    ...NO_PUSH,
    phases,
    ...change,
  };
}

function sourcesOf(state: NebulaState, change: Partial<NebulaSources> = {}): NebulaSources {
  const nothing = { spentUsd: 0, unknownUsd: 0, hasUnreportedCosts: false };
  return {
    state,
    spec: undefined,
    cost: { total: nothing, phases: new Map() },
    now: {
      ...{ pid: undefined, working: new Set(), limits: new Map(), pauseEnds: [] },
      ...{ laneWaits: new Map(), questions: [], stops: undefined, agents: new Set() },
    },
    story: NO_STORY,
    runs: new Map(),
    ...change,
  };
}

const LANDED = aPhase("a", {
  ...{ status: "done", landing: 1, candidate: SHA, tree: TREE, verified: true, runs: ["r1"] },
});

test("a landing says whether the tree that landed is the one that was verified", () => {
  const verified = (tree: string) =>
    continueStory(NO_STORY, [
      { type: "verification", at: "", phase: "a", tree, outcome: "passed" },
    ]);
  const told = (tree: string) =>
    nebulaMarkdown(nebulaFacts(sourcesOf(aState([LANDED]), { story: verified(tree) })));
  expect(told(TREE)).toContain("verified on the merged tree: this tree");
  expect(told(SHA)).toContain("**another tree was verified**");
  expect(nebulaMarkdown(nebulaFacts(sourcesOf(aState([LANDED]))))).toContain("not verified");
});

test("over a fleet a phase has its machines, and nothing is said of cost", () => {
  const machines = { r1: "one", r2: "two`|" };
  const phase = aPhase("a", { status: "running", runId: "r3", runs: ["r1", "r2", "r3"], machines });
  const { now } = sourcesOf(aState([]));
  const fleet = { isWorking: true, lane: "one", machines: new Map([["a", "one"]]) };
  const sources = sourcesOf(aState([phase, LANDED]), { now: { ...now, fleet } });
  const told = nebulaMarkdown(nebulaFacts(sources));
  expect(told).toContain("| phase | status | attempt | machine | landed | why |");
  expect(told).toMatch(/^\| `a` \| pending \| 1 \| `one`, ``two`\\\|`` \|/mu);
  expect(told).toMatch(/^\| 1 \| `a` .* verified \|$/mu);
  expect(told).not.toMatch(/cost|\$/u);
});

test("the figures are the facts', with reservations apart", () => {
  const spent = { spentUsd: 3.5, unknownUsd: 1.25, hasUnreportedCosts: false };
  const cost = { total: spent, phases: new Map([["a", spent]]) };
  const text = nebulaMarkdown(nebulaFacts(sourcesOf(aState([LANDED]), { cost })));
  expect(text).toContain("**Done** · 1 of 1 phase landed on `nebula/demo` · $2.25 known");
  expect(text).toContain("| `a` | $2.25 | $1.25 | 0 |");
  expect(text).toContain("| **all** | $2.25 | $1.25 | 0 |");
});

test("text of others acts nowhere, and secrets are taken out", () => {
  const phase = aPhase(HOSTILE, { status: "failed", reason: `${HOSTILE} SECRET` });
  const decision = { type: "decision", at: "", phase: HOSTILE, attempt: 1, verb: "retry" };
  const story = continueStory(NO_STORY, [
    { ...decision, reason: HOSTILE },
    { type: "engine_begins", at: "" },
    { type: "engine_ends", at: "", end: "error", message: HOSTILE },
    { type: "engine_begins", at: "" },
  ]);
  const state = aState([phase], { name: HOSTILE, branch: HOSTILE });
  const facts = nebulaFacts(sourcesOf(state, { story, problems: [HOSTILE] }));
  const text = nebulaMarkdown(redactNebulaFacts(facts, (said) => said.replaceAll("SECRET", "…")));
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).not.toContain("SECRET");
  const outside = text.replaceAll(/(`+)(?!`)[^\n]*?[^`]\1(?!`)/gu, "");
  expect(outside).not.toMatch(/@everyone|fixes|<img|!\[/u);
  expect(text.match(/^#.*forged/gmu)).toBeNull();
});

test("a nebula of any size fits a description", () => {
  const ids = Array.from({ length: 500 }, (_, n) => `phase ${n} ${"x".repeat(200)}`);
  const phases = ids.map((id) => aPhase(id, { status: "failed", reason: "y".repeat(8000) }));
  const finding = { severity: "major", description: "z".repeat(2000), cycle: 1, status: "found" };
  const run = {
    ...{ id: "r", turns: [], problems: ["p".repeat(900)] },
    findings: Array.from({ length: 50 }, () => finding),
    money: { byRole: [], byCycle: [], hasUnreportedCosts: false },
    recovery: { boughtTwiceCount: 0, boughtTwiceUsd: 0 },
  } as unknown as RunFacts;
  const runs = new Map(ids.map((id) => [id, [run]]));
  const text = nebulaMarkdown(nebulaFacts(sourcesOf(aState(phases), { runs })));
  expect(text.length).toBeLessThan(60_000);
  expect(/\d+ earlier rows left out\./u.test(text)).toBe(true);
});

test("the same facts give the same bytes", () => {
  const make = () => nebulaMarkdown(nebulaFacts(sourcesOf(aState([LANDED]))));
  expect(make()).toBe(make());
});
