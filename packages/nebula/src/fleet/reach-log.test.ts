import { expect, test } from "vitest";
import { type ReachEvent, ReachLog } from "./reach-log.ts";

test("it is reported once that something is out of reach, and once that it is back", () => {
  const told: ReachEvent[] = [];
  let now = 0;
  const log = new ReachLog(
    (event) => void told.push(event),
    () => now,
  );
  log.back("/depot.git");
  log.away("/depot.git", "first");
  now = 700;
  log.away("/depot.git", "second");
  // Something that was begun before.
  log.back("/depot.git");
  log.away("", "no answer");
  expect([log.isAway("/depot.git"), log.isAway("/other.git")]).toEqual([true, false]);
  now = 2500;
  log.back("/depot.git");
  log.back("/depot.git");
  log.away("/depot.git", "third");
  expect(told).toEqual([
    { type: "away", depot: "/depot.git", message: "first" },
    { type: "away", depot: "", message: "no answer" },
    { type: "back", depot: "/depot.git", awayMs: 2500 },
    { type: "away", depot: "/depot.git", message: "third" },
  ]);
});
