import { exactUsd } from "../text/format.ts";
import type { ShareFacts, TurnFacts } from "./run-facts.ts";

/** What a turn is a share of, in each division. */
export const SHARE_OF = {
  byRole: ({ role }) => role,
  byCycle: ({ cycle }) => `cycle ${cycle}`,
} as const satisfies Record<string, (turn: Pick<TurnFacts, "role" | "cycle">) => string>;

/** Shares of the same name together, in the order in which they first come. */
export function sumShares(shares: readonly ShareFacts[]): readonly ShareFacts[] {
  const sums = new Map<string, ShareFacts>();
  for (const { name, knownUsd, unknownUsd, turnCount } of shares) {
    const sum = sums.get(name) ?? { name, knownUsd: 0, unknownUsd: 0, turnCount: 0 };
    sums.set(name, {
      name,
      knownUsd: exactUsd(sum.knownUsd + knownUsd),
      unknownUsd: exactUsd(sum.unknownUsd + unknownUsd),
      turnCount: sum.turnCount + turnCount,
    });
  }
  return [...sums.values()];
}
