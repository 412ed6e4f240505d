import { expect, test } from "vitest";
import { type Clocks, deadlineIn } from "./deadline.ts";

const TTL_MS = 10_000;
const HOUR_MS = 3_600_000;

/** Whether a deadline is over when each clock shows so many milliseconds more than at its start. */
function isOverAfter(passed: Readonly<Record<keyof Clocks, number>>): boolean {
  let isLater = false;
  const clock = (name: keyof Clocks, start: number) => () => start + (isLater ? passed[name] : 0);
  const deadline = deadlineIn(TTL_MS, {
    steady: clock("steady", 5),
    uptime: clock("uptime", 70_000),
    wall: clock("wall", 1_700_000_000_000),
  });
  isLater = true;
  return deadline.isOver();
}

test.for([
  ["no time has passed", { steady: 0, uptime: 0, wall: 0 }, false],
  ["less than the lease has passed", { steady: 9999, uptime: 9999, wall: 9999 }, false],
  ["the lease has passed", { steady: 10_000, uptime: 10_000, wall: 10_000 }, true],
  ["the machine has slept, by its uptime", { steady: 10, uptime: 10_000, wall: 10_000 }, true],
  ["the machine has slept, by the wall alone", { steady: 10, uptime: 10, wall: 60_000 }, true],
  ["the wall was set forward by an hour", { steady: 10, uptime: 10, wall: HOUR_MS }, true],
  ["the wall was set back by an hour", { steady: 10, uptime: 10, wall: -HOUR_MS }, false],
  [
    "the wall was set back by an hour and the lease has passed",
    { steady: 10_000, uptime: 10_000, wall: -HOUR_MS },
    true,
  ],
  [
    "the wall was set forward by less than the lease",
    { steady: 10, uptime: 10, wall: 9000 },
    false,
  ],
] as const)("where %s it is over: %o -> %s", ([, passed, expected]) => {
  expect(isOverAfter(passed)).toBe(expected);
});
