import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aSample } from "../../test/program.ts";
import { aDirectory, aRequest } from "../../test/request.ts";
import type { Cost } from "../agent-process.ts";
import { NO_TOKENS } from "../prices.ts";
import { geminiBefore, geminiCost, type GeminiEnd } from "./gemini-cost.ts";
import { readGeminiRecord } from "./gemini-record.ts";

const SESSION = "af72789c-8422-4c85-be32-e8f90150920d";
/** What its three responses cost: the first two are of one turn, the third is of the next. */
const USD = [0.05135, 0.0097, 0.0097] as const;

const RECORD = aSample("gemini-0.61.0.session.jsonl");
const HEAD = RECORD.slice(0, 2);

/** The records of a home, in which the session has these files. */
function records(files: Readonly<Record<string, readonly string[]>>): string {
  const folder = join(aDirectory(), "tmp");
  const chats = join(folder, "work", "chats");
  mkdirSync(chats, { recursive: true });
  for (const [minute, lines] of Object.entries(files)) {
    writeFileSync(join(chats, `session-${minute}-af72789c.jsonl`), `${lines.join("\n")}\n`);
  }
  return folder;
}

const whole = () => records({ "2026-11-26T19-48": RECORD, "2026-11-26T19-49": HEAD });

const said: Cost = { costUsd: 0.001, costSource: "computed" };
const END: GeminiEnd = {
  before: { responses: 0, firstPrompt: 20_000 },
  isComplete: true,
  isRouted: false,
  uses: [],
};

const costOf = (folder: string, change: Partial<GeminiEnd> = {}): Cost =>
  geminiCost(readGeminiRecord(folder, SESSION), { ...END, ...change }, said, undefined);

test("a turn costs what its responses on record do, thoughts included", () => {
  const cost = costOf(whole());
  expect(cost).toMatchObject({ costSource: "computed" });
  expect(cost.costUsd).toBeCloseTo(USD[0] + USD[1] + USD[2], 9);
});

test("a turn that continues costs what is on record since it began", () => {
  const folder = records({ "2026-11-26T19-48": RECORD.slice(0, -3) });
  const turn = aRequest({ resumesSession: true, sessionId: SESSION });
  const before = geminiBefore(folder, turn, "Continue.");
  expect(before).toMatchObject({ responses: 2 });
  expect(costOf(whole(), { before }).costUsd).toBeCloseTo(USD[2], 9);
});

test("responses count in their order, whichever file of the session has them", () => {
  const [rest, last] = [RECORD.slice(0, -3), RECORD.slice(-3)];
  const folder = records({ "2026-11-26T19-47": [...HEAD, ...last], "2026-11-26T19-48": rest });
  const before = { responses: 2, firstPrompt: 0 };
  expect(costOf(folder, { before }).costUsd).toBeCloseTo(USD[2], 9);
});

test("one that ended early may have asked once more", () => {
  const cost = costOf(records({ "2026-11-26T19-48": RECORD.slice(0, 5) }), { isComplete: false });
  expect(cost).toMatchObject({ costSource: "partial" });
  expect(cost.costUsd).toBeCloseTo(USD[0], 9);
  // 65,536 tokens of output at $10 a million, and what the first response was sent and said.
  expect(cost.unknownUsd).toBeGreaterThan(0.655 + 0.0075);
  expect(cost.unknownUsd).toBeLessThan(0.7);
});

test("one without a response on record costs what is known without the record", () => {
  const folder = records({ "2026-11-26T19-48": HEAD });
  expect(costOf(folder, { isComplete: false })).toEqual({ ...said, costSource: "partial" });
});

test("one whose answers were all thrown away was asked four times of the model that it names", () => {
  const folder = records({ "2026-11-26T19-48": HEAD });
  const uses = [{ model: "gemini-2.5-pro", tokens: { ...NO_TOKENS, input: 1000, output: 10 } }];
  expect(costOf(folder, { uses }).unknownUsd).toBeGreaterThan(4 * 0.655);
});

test("one whose last words to the model have no answer was asked four times", () => {
  const folder = records({ "2026-11-26T19-48": RECORD.slice(0, 6) });
  expect(costOf(folder).unknownUsd).toBeGreaterThan(4 * 0.655);
});

test("one whose model is chosen for it counts with the question which to take", () => {
  const cost = costOf(whole(), { isRouted: true });
  expect(cost).toMatchObject({ costSource: "partial" });
  expect(cost.unknownUsd).toBeCloseTo((20_000 * 1.25 + 1024 * 10) / 1e6, 9);
});

test("a model without a price is no part of what is known", () => {
  const folder = records({
    "2026-11-26T19-48": RECORD.map((line) => line.replace("gemini-2.5-pro", "gemini-9")),
  });
  const cost = costOf(folder);
  expect(cost).toMatchObject({ costSource: "unknown", unknownUsd: expect.any(Number) });
});

test.for([
  ["there is no record", {}, END],
  ["the record is another session's", { "2026-11-26T19-48": ['{"sessionId":"af72789c-x"}'] }, END],
  [
    "the record says less than the agent",
    { "2026-11-26T19-48": RECORD.slice(0, 5) },
    {
      uses: [{ model: "gemini-2.5-pro", tokens: { ...NO_TOKENS, input: 3000 } }],
    },
  ],
  [
    "what it had used is unknown",
    { "2026-11-26T19-48": RECORD },
    {
      before: { firstPrompt: 0 },
    },
  ],
] as const)("where %s, what the agent said is the least", ([, files, change]) => {
  expect(costOf(records(files), change)).toEqual({ ...said, costSource: "partial" });
});
