import * as v from "valibot";
import {
  day,
  flag,
  list,
  object,
  runId,
  text,
  timeOrNone,
  usd,
  whole,
} from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { role } from "../../shared/schemas/parts.ts";
import { endedTurn } from "../../shared/schemas/turn.ts";
import { BILL } from "./spending.ts";

const openTurn = object(
  {
    turnId: text("<run>.<n>"),
    role,
    cycle: whole("From 1"),
    attempt: whole("Counts the starts of the same piece of work, from 1"),
    reservedUsd: usd("What counts if its cost stays unknown"),
    allowanceUsd: usd("What it may spend at most; 0: no limit"),
    unmetered: flag(
      "Whether its agent is not known to report what a turn costs: reservedUsd counts from the first",
    ),
    startedAt: timeOrNone("When it began"),
  },
  "The turn whose end is not known",
);

const nebulaBill = object(
  { nebulaId: text("Its id"), nebula: text("Its name"), ...BILL },
  "What a nebula has cost: nebula show has its phases",
);

export const costLine = result("cost", "What each turn of a run has cost", {
  runId: runId(),
  ...BILL,
  maxBudgetUsd: usd("The limit; 0: none"),
  pricesAsOf: day("Of which date this quasar's price list is"),
  turns: list(endedTurn, "Oldest first"),
  openTurn: v.optional(openTurn),
  nebulae: list(nebulaBill, "What nebulae of the repository have cost; none where a run was named"),
});

export type CostLine = Printed<typeof costLine>;
