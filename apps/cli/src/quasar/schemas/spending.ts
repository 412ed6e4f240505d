import { usd } from "../../shared/schemas/kinds.ts";

/** What counts against a limit. */
export const SPENDING = {
  spentUsd: usd("What counts against the limit: knownUsd and unknownUsd"),
  knownUsd: usd("What is known to have been spent"),
  unknownUsd: usd("What was spent at most by turns whose cost is not known"),
};
