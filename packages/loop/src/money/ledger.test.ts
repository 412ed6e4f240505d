import type { CheckpointLedgerEntry } from "@quasar/checkpoint";
import { decodeCheckpoint, encodeCheckpoint } from "@quasar/checkpoint";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aCheckpoint, aTurn } from "../../test/fixtures.ts";
import { stateFromCheckpoint } from "../convert.ts";
import { type Books, balanced, book, entryOf, MOST_ENTRIES, sumOf } from "./ledger.ts";
import { settledCost, unknownCost } from "./money.ts";
import { restart } from "../resume/resume.ts";
import { failTurn, settleTurn } from "../transitions.ts";

const NOTHING: Books = { totalCostUsd: 0, unknownCostUsd: 0, ledger: [] };

const anEntry = (costUsd: number, unknownUsd = 0, n = 1): CheckpointLedgerEntry => ({
  ...entryOf(aTurn({ id: `run.${n}` }), 1, "settled", unknownCost(0)),
  costUsd,
  unknownUsd,
});

const isExact = ({ ledger, totalCostUsd, unknownCostUsd }: Books): boolean => {
  const { costUsd, unknownUsd } = sumOf(ledger);
  return costUsd === totalCostUsd && unknownUsd === unknownCostUsd;
};

const amount = fc.double({ min: 0, max: 1e6, noNaN: true });
const costs = fc.record({
  costUsd: fc.option(amount, { nil: undefined }),
  costSource: fc.constantFrom("reported", "computed", "partial", "unknown"),
  reservedUsd: amount,
  ends: fc.constantFrom("settled", "failed", "lost"),
});

test("the entries add up to the totals to the last bit, whatever turns cost and however they end", () => {
  fc.assert(
    fc.property(fc.array(costs, { maxLength: 40 }), amount, (turns, before) => {
      let state = restart(stateFromCheckpoint(aCheckpoint({ totalCostUsd: before })), "");
      expect(isExact(state)).toBe(true);
      for (const { costUsd, costSource, reservedUsd, ends } of turns) {
        state = { ...state, turn: aTurn({ reservedUsd }) };
        const cost = settledCost({ costUsd, costSource }, reservedUsd);
        state =
          ends === "settled" ? settleTurn(state, "", cost) : failTurn(state, cost, "busy", ends);
        expect(isExact(state)).toBe(true);
      }
      expect(state.ledger).toHaveLength(turns.length + (before === 0 ? 0 : 1));
      expect(state.totalCostUsd).toBeGreaterThanOrEqual(before);
    }),
  );
});

test("an entry says whose turn it was, how it ended, and who says what it cost", () => {
  const turn = aTurn({ id: "run.7", role: "reviewer", attempt: 2, reservedUsd: 0.5 });
  const state = stateFromCheckpoint(aCheckpoint({ cycle: 3, turn }));
  const cost = settledCost({ costUsd: 0.2, costSource: "partial" }, 0.5);
  expect(failTurn(state, cost, "killed", "lost").ledger).toEqual([
    {
      turnId: "run.7",
      role: "reviewer",
      cycle: 3,
      attempt: 2,
      status: "lost",
      source: "partial",
      reservedUsd: 0.5,
      costUsd: 0.5,
      unknownUsd: 0.3,
      startedAt: turn.startedAt,
    },
  ]);
});

test("the oldest entries of a very long run are one sum, and nothing is lost of it", () => {
  let books = NOTHING;
  for (let n = 1; n <= MOST_ENTRIES + 50; n += 1) books = book(books, anEntry(0.1, 0.05, n));
  expect(books.ledger).toHaveLength(MOST_ENTRIES);
  expect(books.ledger[0]).toMatchObject({ turnId: "", source: "partial", cycle: 0 });
  expect(books.ledger[0]?.costUsd).toBeCloseTo(5.1);
  expect(books.ledger[1]?.turnId).toBe("run.52");
  expect(isExact(books)).toBe(true);
  const checkpoint = aCheckpoint({ ...books });
  expect(decodeCheckpoint(encodeCheckpoint(checkpoint)).ledger).toEqual(books.ledger);
});

test.for([
  ["a file without a ledger", { totalCostUsd: 2, unknownCostUsd: 0.5 }, [2, 0.5]],
  [
    "a total that is more than its entries",
    { totalCostUsd: 2, unknownCostUsd: 0.5, ledger: [anEntry(0.5, 0.25)] },
    [1.5, 0.25],
  ],
  ["more that is unknown than there is", { totalCostUsd: 1, unknownCostUsd: 3 }, [1, 1]],
] as const)("%s begins with a sum of what no turn is known of", ([, change, [cost, unknown]]) => {
  const books = balanced({ ...NOTHING, ...change });
  expect(books.ledger[0]).toMatchObject({ turnId: "", costUsd: cost, unknownUsd: unknown });
  expect(isExact(books)).toBe(true);
  expect(books.totalCostUsd).toBe(change.totalCostUsd);
});

test("a total that is less than its entries is not believed", () => {
  const books = balanced({ ...NOTHING, totalCostUsd: 1, ledger: [anEntry(3)] });
  expect(books).toEqual({ ...NOTHING, totalCostUsd: 3, ledger: [anEntry(3)] });
});

test("books that are in order stay as they are", () => {
  const books = book(NOTHING, anEntry(0.1));
  expect(balanced(books)).toEqual(books);
  expect(balanced(NOTHING)).toEqual(NOTHING);
});
