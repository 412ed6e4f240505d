import * as v from "valibot";
import { milliseconds, object, text, timeOrNone, usd, whole, word } from "./kinds.ts";
import { role } from "./parts.ts";

// A turn, as both commands print it. Each is a definition, by its name here, in the files that use it.

const entries = {
  turnId: text('<run>.<n>; "" for the sum of the oldest ones of a very long run'),
  role,
  cycle: whole("From 1"),
  attempt: whole("Counts the starts of the same piece of work, from 1"),
  reservedUsd: usd("What it might cost; of one that is open the most that it may have cost"),
  spentUsd: usd("What counts for it"),
  unknownUsd: usd("The part of spentUsd that was spent at most"),
  startedAt: timeOrNone("When it began"),
  durationMs: v.optional(milliseconds("How long it took; left out where it is unknown")),
};

const ENDS = ["settled", "failed", "lost"] as const;
const SOURCES = ["reported", "computed", "partial", "unknown"] as const;

const ENDED =
  "settled: its work was taken. failed: it was not. lost: its agent was stopped or killed, or nobody learned its end";
const SAID =
  "Who says what it cost. reported: the agent. computed: the price list. partial: the agent, as far as it came, the rest is reserved. unknown: nobody, what was reserved counts";

export const endedTurn = object(
  { ...entries, status: word(ENDS, ENDED), source: word(SOURCES, SAID) },
  "A turn that has ended, and its cost",
);

export const turn = object(
  {
    ...entries,
    status: word([...ENDS, "open"], `${ENDED}. open: its end is not known yet`),
    source: word([...SOURCES, ""], `${SAID}. "": it is open`),
  },
  "A turn, and its cost",
);
