import { expect, test } from "vitest";
import { createStartBook } from "./book.ts";
import { refuseBeyond, refuseBudget } from "./limits.ts";

const LIMITS = { capUsd: 5, mostAtOnce: 2, mostPerHour: 3 };
const NOW = 10 * 3_600_000;
const minutesAgo = (minutes: number): number => NOW - minutes * 60_000;

test.for([
  ["as many at work as may be", { at: [], atWork: 2 }, "2 runs of this caller are at work"],
  ["as many in an hour as may be", { at: [59, 30, 1].map(minutesAgo), atWork: 0 }, "wait 1 min"],
] as const)("refuses %s", ([, started, why]) => {
  const act = (): void => refuseBeyond(LIMITS, started, NOW);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_NOT_ALLOWED" }));
  expect(act).toThrow(why);
});

test("lets another one begin when one has ended, or an hour is over", () => {
  const act = (): void => refuseBeyond(LIMITS, { at: [60, 30, 1].map(minutesAgo), atWork: 1 }, NOW);
  expect(act).not.toThrow();
});

test("a run may have the cap, and no more", () => {
  expect(() => refuseBudget(5, LIMITS)).not.toThrow();
  expect(() => refuseBudget(5.01, LIMITS)).toThrow(
    "budget_usd is 5.01, and this server allows up to 5",
  );
});

test("a start counts before it is known whether it succeeds, and not when it failed", () => {
  const book = createStartBook();
  const failed = book.begin(1);
  let hasEnded = false;
  book.begin(2)({ pid: 7, hasEnded: () => hasEnded });
  expect(book.started()).toEqual({ at: [1, 2], atWork: 2 });
  failed(undefined);
  expect(book.started()).toEqual({ at: [2], atWork: 1 });
  hasEnded = true;
  expect(book.started()).toEqual({ at: [2], atWork: 0 });
});
