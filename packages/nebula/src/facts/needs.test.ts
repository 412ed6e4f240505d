import { expect, test } from "vitest";
import type { AgentQuestion } from "../question.ts";
import { pendingPhase, type PhaseState } from "../state/state.ts";
import { laneOrder } from "../state/schedule.ts";
import { needsOf } from "./needs.ts";

const aPhase = (id: string, change: Partial<PhaseState>): PhaseState => ({
  ...pendingPhase(id, "p1-00000000", new Date(0)),
  ...change,
});

const waits = (id: string, question: PhaseState["question"], reason = ""): PhaseState =>
  aPhase(id, { status: "awaiting_human", question, reason });

const OPEN = { archivedFrom: "", planVerdict: "", planReason: "" } as const;

const question = { id: "q-00000001", phase: "asks", summary: "which?" } as AgentQuestion;

test("the most urgent comes first: questions, decisions in the order of the plan, failures, budgets", () => {
  const phases = [
    waits("poor", "budget"),
    aPhase("failed", { status: "failed", reason: "broken" }),
    waits("rework", "rework"),
    waits("land", "land"),
    aPhase("asks", { status: "awaiting_human", question: "answer", questions: [question.id] }),
    aPhase("works", { status: "running" }),
  ];
  const shortages = [{ phase: "poor", limit: "phase", neededUsd: 4.5, why: "" }] as const;
  const needs = needsOf({ ...OPEN, phases }, { questions: [question] }, shortages);
  expect(needs.map(({ kind, phase, text }) => [kind, phase, text])).toEqual([
    ["agent", "asks", "which?"],
    ["rework", "rework", ""],
    ["land", "land", ""],
    ["failed", "failed", "broken"],
    ["budget", "poor", "needs a limit of $4.50"],
  ]);
});

test.for([
  ["asked", "nothing begins before you approve it"],
  ["rejected", "rejected: too big"],
] as const)("a plan that is %s is all that a person is needed for", ([planVerdict, text]) => {
  const phases = [waits("land", "land")];
  const state = { ...OPEN, planVerdict, planReason: "too big", phases };
  expect(needsOf(state, { questions: [question] })).toMatchObject([{ kind: "plan", text }]);
  expect(needsOf({ ...state, archivedFrom: "x" }, { questions: [] })).toEqual([]);
});

test("the lane has first what lands, then what was approved first, or stands first in the plan", () => {
  const queued = (id: string, seq: number, merges = "") =>
    aPhase(id, { status: "queued", seq, merges });
  const phases = [
    queued("late", 3),
    queued("early", 2),
    aPhase("lands", { status: "landing", seq: 4 }),
    aPhase("works", { status: "running", seq: 1 }),
    queued("base-1", 5, "a".repeat(40)),
  ];
  expect(laneOrder(phases, "ready")).toEqual(["lands", "early", "late", "base-1"]);
  expect(laneOrder(phases, "plan")).toEqual(["lands", "base-1", "late", "early"]);
});
