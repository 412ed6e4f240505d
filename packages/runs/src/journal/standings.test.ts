import { expect, test } from "vitest";
import type { Fact } from "./fact.ts";
import { changesSince, type Standing, standingsOf } from "./standings.ts";

const review = (cycle: number, rest: object): Fact => ({ type: "review_complete", cycle, ...rest });
const finding = (cycle: number, status: Standing["status"]): Standing => ({
  id: `f-${cycle}`,
  cycle,
  status,
});

/** A run in which each cycle finds one flaw and fixes that of the cycle before. */
function factsOf(cycles: number): readonly Fact[] {
  const facts: Fact[] = [];
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const earlier = Array.from({ length: cycle - 1 }, (_, at) => finding(at + 1, "fixed"));
    const all = [...earlier, finding(cycle, "found")];
    facts.push(review(cycle, { changed: changesSince(standingsOf(facts), all) }));
  }
  return facts;
}

test("each review says what it has changed, and no more", () => {
  expect(factsOf(3).map(({ changed }) => changed)).toEqual([
    [finding(1, "found")],
    [finding(1, "fixed"), finding(2, "found")],
    [finding(2, "fixed"), finding(3, "found")],
  ]);
  const [ten, hundred] = [10, 100].map((cycles) => JSON.stringify(factsOf(cycles)).length);
  expect((hundred ?? Infinity) / (ten ?? 1)).toBeLessThan(12);
});

test("how findings stood after a cycle is known from all changes up to it", () => {
  expect(Object.fromEntries(standingsOf(factsOf(5), 3))).toEqual({
    "1 f-1": "fixed",
    "2 f-2": "fixed",
    "3 f-3": "found",
  });
});

test("a journal of before said how all stood, and may hold anything", () => {
  const facts = [
    review(1, {
      all: [finding(1, "found"), null, { id: 7 }, { ...finding(2, "fixed"), status: "x" }],
    }),
    review(2, { changed: [finding(1, "regressed")] }),
    { type: "review_complete", cycle: "?", changed: [finding(1, "fixed")] },
  ];
  expect(Object.fromEntries(standingsOf(facts))).toEqual({ "1 f-1": "regressed" });
});
