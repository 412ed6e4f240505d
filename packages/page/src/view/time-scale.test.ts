import { expect, test } from "vitest";
import { timeScale } from "./time-scale.ts";

const MINUTE = 60_000;
const span = (from: number, to: number) => ({ from: from * MINUTE, to: to * MINUTE });

test("times are where they are where nothing is shortened", () => {
  const { at, breaks } = timeScale([span(0, 5), span(5, 10)]);
  expect([0, 2.5, 10].map((minutes) => at(minutes * MINUTE))).toEqual([0, 0.25, 1]);
  expect(breaks).toEqual([]);
});

test("a night in which nothing happened is short", () => {
  const { at, breaks } = timeScale([span(600, 610), span(0, 10)]);
  expect(breaks).toEqual([{ from: at(10 * MINUTE), to: at(600 * MINUTE), ms: 590 * MINUTE }]);
  expect(at(600 * MINUTE) - at(10 * MINUTE)).toBeLessThan(0.05);
  expect(at(605 * MINUTE)).toBeGreaterThan(0.7);
});

test("times outside are at the ends", () => {
  const { at } = timeScale([span(10, 20)]);
  expect([at(0), at(30 * MINUTE)]).toEqual([0, 1]);
});

test("named times are round and stand apart", () => {
  const { at, ticks } = timeScale([span(3, 61), span(600, 630)]);
  expect(ticks[0]).toBe(3 * MINUTE);
  for (const ms of ticks.slice(1)) expect(ms % (15 * MINUTE)).toBe(0);
  const places = ticks.map(at);
  for (const [n, place] of places.slice(1).entries()) {
    expect(place - (places[n] ?? 0)).toBeGreaterThan(0.1);
  }
});

test.for([[[]], [[span(1, 1)]]])("has no width where nothing lasted: %o", ([spans]) => {
  expect(timeScale(spans ?? []).at(MINUTE)).toBe(0);
});
