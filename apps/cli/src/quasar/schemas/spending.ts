import { flag, object, text, usd, word } from "../../shared/schemas/kinds.ts";

/** What counts against a limit. */
export const SPENDING = {
  spentUsd: usd("What counts against the limit: knownUsd and unknownUsd"),
  knownUsd: usd("What is known to have been spent"),
  unknownUsd: usd("What was spent at most by turns whose cost is not known"),
};

/** The same, and whether there is more that no figure covers. */
export const BILL = {
  ...SPENDING,
  hasUnreportedCosts: flag("Whether turns without a limit did not say what they cost"),
};

export const shortage = object(
  {
    phaseId: text("The phase that waits"),
    setting: word(
      ["max_budget_usd", "total_budget_usd", "max_turn_budget_usd"],
      "Its own limit, that of all phases, or the one for a turn",
    ),
    neededBudgetUsd: usd("What that limit has to be at least"),
  },
  "A limit that is too small for a phase to begin or continue",
);
