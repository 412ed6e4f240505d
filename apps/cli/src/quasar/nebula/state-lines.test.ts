import { expect, test } from "vitest";
import type { NebulaFacts, NebulaPhaseFacts } from "../facts/nebula-apply.ts";
import { phaseTable, stateLines } from "./state-lines.ts";

const view = { columns: 80, paint: (_style: unknown, text: string) => text, live: false } as const;

/** How a phase stands, and why. */
type Phase = readonly [status: NebulaPhaseFacts["status"], reason?: string];

const LANDED: Phase = ["done"];
const FAILED: Phase = ["failed", "it broke"];
const SKIPPED: Phase = ["skipped", "needs it"];
const WAITS: Phase = ["awaiting_human", "accept it?"];

function linesOf(unchangedCount: number, all: readonly Phase[], unknownUsd = 0): readonly string[] {
  const phases = all.map(([status, reason = ""], at) => {
    return { phaseId: `p${at + 1}`, status, reason, isWorkedOn: false };
  });
  const landedCount = phases.filter(({ status }) => status === "done").length;
  const nebula = {
    ...{ nebula: "shop", branch: "nebula/x", plan: "open", phases },
    ...{ phaseCount: all.length, landedCount, unchangedCount },
    ...{ spentUsd: 1 + unknownUsd, unknownUsd, hasUnreportedCosts: false },
    ...{ pauseEnds: [], agentPhaseIds: [], obstacles: [], questions: [], shortages: [] },
  };
  return stateLines(nebula as unknown as NebulaFacts, view);
}

test.for([
  ["none landed", 0, [["pending"]], "0 of 1 phase landed", ["pending  p1"]],
  ["one landed", 0, [LANDED], "1 of 1 phase landed", []],
  ["one made no changes", 1, [LANDED], "0 of 1 phase landed", []],
  [
    "some landed, one failed",
    0,
    [LANDED, FAILED],
    "1 of 2 phases landed",
    ["failed   p2: it broke"],
  ],
  [
    ...(["one unchanged, one failed, one skipped", 1, [LANDED, FAILED, SKIPPED]] as const),
    "0 of 3 phases landed",
    ["failed   p2: it broke", "skipped  p3: needs it"],
  ],
  [
    ...(["one landed, one unchanged, one waits", 1, [LANDED, LANDED, WAITS]] as const),
    "1 of 3 phases landed",
    ["waits    p3: accept it?"],
  ],
] as const)("%s: the counts stand in the head, the rest below", (row) => {
  const [, unchangedCount, phases, landed, below] = row;
  const more = landed.startsWith("0") ? "" : " more";
  const unchanged = unchangedCount === 0 ? "" : ` (${unchangedCount}${more} made no changes)`;
  expect(linesOf(unchangedCount, phases)).toEqual([
    `shop: ${landed} on nebula/x${unchanged}, $1.00 spent`,
    ...below.map((line) => `  ${line}`),
  ]);
});

test("a cost that is not known whole is no more said to be spent", () => {
  expect(linesOf(0, [LANDED], 0.5)).toEqual([
    "shop: 1 of 1 phase landed on nebula/x, cost $1.00 known, up to $0.50 more",
  ]);
});

test("a phase that made no changes has not landed in the table either", () => {
  const phase = { status: "done", reason: "", isWorkedOn: false, attempt: 1, spentUsd: 0 };
  const phases = [
    { ...phase, phaseId: "one", landedSha: "" },
    { ...phase, phaseId: "two", landedSha: "a".repeat(40) },
  ];
  const nebula = { phases, pauseEnds: [], shortages: [] };
  const [, ...rows] = phaseTable(nebula as unknown as NebulaFacts, view);
  expect(rows.map((row) => row.trim().split(/ +/u).slice(0, 2))).toEqual([
    ["one", "unchanged"],
    ["two", "landed"],
  ]);
});
