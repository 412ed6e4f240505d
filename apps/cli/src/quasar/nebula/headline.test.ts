import { expect, test } from "vitest";
import type { NebulaFacts, NebulaPhaseFacts } from "../facts/nebula-apply.ts";
import { engineLines } from "./engine-lines.ts";
import { headline } from "./headline.ts";
import { phaseTable, stateLines } from "./state-lines.ts";

const view = { columns: 80, paint: (_style: unknown, text: string) => text, live: false } as const;

const OUTPUT = `not approved in 3 cycles: The parser of prices accepts a comma and a point in the same number.
Evidence:
${"at parse (prices.ts:12)\n".repeat(50)}`;
const ROW = " ".repeat(11);

test("a failure is two lines of a screen, cut between words", () => {
  const search = { phaseId: "search", status: "failed", reason: OUTPUT, isWorkedOn: false };
  const nebula = {
    ...{
      nebula: "shop",
      branch: "nebula/shop",
      spentUsd: 0,
      unknownUsd: 0,
      hasUnreportedCosts: false,
      pauseEnds: [],
      agentPhaseIds: [],
      obstacles: [],
      plan: "open",
    },
    ...{ landedCount: 0, unchangedCount: 0, phaseCount: 1, questions: [], shortages: [] },
    phases: [search as unknown as NebulaPhaseFacts],
  } as unknown as NebulaFacts;
  expect(stateLines(nebula, view).slice(1)).toEqual([
    "  failed   search: not approved in 3 cycles: The parser of prices accepts a",
    `${ROW}comma and a point in the same number. …`,
  ]);
  const failed = { type: "phase_failed", phase: "search", reason: OUTPUT } as const;
  expect(engineLines(failed, view)).toEqual([
    "  search   failed: not approved in 3 cycles: The parser of prices accepts a",
    `${ROW}comma and a point in the same number. …`,
  ]);
});

test("a table of phases with long ids and costs that are not known has all columns at 80", () => {
  const id = "x".repeat(24);
  const phase = { phaseId: id, status: "failed", reason: OUTPUT, isWorkedOn: false, attempt: 2 };
  const cost = { spentUsd: 14.95, unknownUsd: 4.95, landedSha: "0".repeat(40) };
  const nebula = { shortages: [], pauseEnds: [], phases: [{ ...phase, ...cost }] };
  const lines = phaseTable(nebula as unknown as NebulaFacts, view);
  expect(lines[0]).toMatch(/^ {2}phase +status +attempt +cost +landed$/u);
  expect(lines[1]).toMatch(/^ {2}x{24} {2}failed +2 {2}≤\$14\.95 {2}0{10}$/u);
  expect(lines[2]).toBe(
    "      not approved in 3 cycles: The parser of prices accepts a comma and a point",
  );
});

test.for([
  ["short", "short"],
  ["  \n\nfirst\nsecond", "first …"],
  [`it broke: ${"x".repeat(200)}`, `it broke: ${"x".repeat(127)}…`],
  ["word ".repeat(40), `${"word ".repeat(27)}…`],
  [
    "[verify] npm test exit 1: > test\n> node --test\n\nnot ok 1 - sum\nend",
    "[verify] npm test exit 1: not ok 1 - sum …",
  ],
  [
    "the hook refused it (exit code 1); the coder has tried 2 of 2 times:\na.ts:1: trailing space",
    "the hook refused it (exit code 1); the coder has tried 2 of 2 times: a.ts:1: trailing space",
  ],
  [
    "the hook refused it (exit code 1); the coder has tried 2 of 2 times:\na.ts\n  1:1  error  no\n1 problem",
    "the hook refused it (exit code 1); the coder has tried 2 of 2 times: 1:1 error no …",
  ],
  [
    `the hook refused it (exit code 1); the coder has tried 2 of 2 times:\n${"packages/".repeat(7)}a.ts:1: trailing space\n`,
    `the hook refused it (exit code 1): ${"packages/".repeat(7)}a.ts:1: trailing space`,
  ],
  ["\u001b[31mred", String.raw`\u{1b}[31mred`],
] as const)("%j is %j behind a label", ([text, line]) => {
  expect(headline(text, view)).toBe(line);
});

test.for([
  [undefined, "  search   a person has it begin again"],
  [true, "  search   a person has its run continue"],
] as const)("a retry that is resumed (%s) is one line: %s", ([isResumed, line]) => {
  const about = { phase: "search", attempt: 1, reason: "", isResumed };
  expect(engineLines({ type: "decision", verb: "retry", ...about }, view)).toEqual([line]);
});

test("a command in the last line of a warning is never broken", () => {
  const command = `git -C /home/ada/${"widgets/".repeat(10)}there switch --detach`;
  const warned = { type: "warning", message: `nothing lands for now:\n${command}` } as const;
  expect(engineLines(warned, view)).toEqual([
    "  warning  nothing lands for now:",
    `${ROW}${command}`,
  ]);
});
