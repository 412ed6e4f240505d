import { expect, test } from "vitest";
import type { NebulaFacts, NebulaPhaseFacts } from "../facts/nebula-apply.ts";
import { engineLines } from "./engine-lines.ts";
import { headline } from "./headline.ts";
import { stateLines } from "./state-lines.ts";

const view = { columns: 80, paint: (_style: unknown, text: string) => text, live: false } as const;

const OUTPUT = `not approved in 3 cycles: The parser of prices accepts a comma and a point in the same number.
Evidence:
${"at parse (prices.ts:12)\n".repeat(50)}`;
const CUT = "not approved in 3 cycles: The parser of prices accepts a …";

test("a failure is one line on a screen, cut between words", () => {
  const search = { phaseId: "search", status: "failed", reason: OUTPUT, isWorkedOn: false };
  const nebula = {
    ...{ nebula: "shop", branch: "nebula/shop", spentUsd: 0, pauseEnds: [], plan: "open" },
    ...{ landedCount: 0, phaseCount: 1, questions: [], shortages: [] },
    phases: [search as unknown as NebulaPhaseFacts],
  } as unknown as NebulaFacts;
  expect(stateLines(nebula, view).slice(1)).toEqual([`  failed   search: ${CUT}`]);
  const failed = { type: "phase_failed", phase: "search", reason: OUTPUT } as const;
  expect(engineLines(failed, view)).toEqual([`  search   failed: ${CUT}`]);
});

test.for([
  ["short", "short"],
  ["  \n\nfirst\nsecond", "first …"],
  [`it broke: ${"x".repeat(100)}`, `it broke: ${"x".repeat(58)}…`],
  ["\u001b[31mred", String.raw`\u{1b}[31mred`],
] as const)("%j is %j in one line", ([text, line]) => {
  expect(headline(text, view)).toBe(line);
});
