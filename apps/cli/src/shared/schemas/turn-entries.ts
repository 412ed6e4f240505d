import { text, timeOrNone, usd, whole, word } from "./kinds.ts";
import { role } from "./parts.ts";

/** What all turns have. */
export const turnEntries = {
  turnId: text('<run>.<n>; "" for the sum of the oldest ones of a very long run'),
  role,
  cycle: whole("From 1"),
  attempt: whole("Counts the starts of the same piece of work, from 1"),
  reservedUsd: usd("What it might cost"),
  costUsd: usd("What counts for it"),
  unknownUsd: usd("How much of costUsd is only reserved"),
  startedAt: timeOrNone("When it began"),
};

export const TURN_ENDS = ["settled", "failed", "lost"] as const;
export const COST_SOURCES = ["reported", "computed", "partial", "unknown"] as const;

export const TURN_ENDED =
  "settled: its work was taken. failed: it was not. lost: nobody learned its end";
export const COST_SAID =
  "Who says what it cost. reported: the agent. computed: the price list. partial: the agent, as far as it came, the rest is reserved. unknown: nobody, what was reserved counts";

/** What turns have that have ended. */
export const endedTurnEntries = {
  ...turnEntries,
  status: word(TURN_ENDS, TURN_ENDED),
  source: word(COST_SOURCES, COST_SAID),
};
