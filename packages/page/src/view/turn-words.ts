import type { TurnFacts } from "@quasar/runs/facts";
import { duration, money } from "@quasar/runs/text";
import { TURN_ENDS } from "@quasar/runs/words";

/** What a later life did about a turn that was cut off, in a word or two. */
const RECOVERIES: Readonly<Record<TurnFacts["recoveries"][number], string>> = {
  followed: "reattached",
  read: "result used",
  resumed: "session continued",
  restarted: "restarted",
};

/** `$0.42`, `up to $0.17`: what a turn has cost. */
export function turnCost({ costUsd, unknownUsd, reservedUsd, status }: TurnFacts): string {
  if (status === "open") return reservedUsd > 0 ? `up to ${money(reservedUsd)}` : "";
  const known = Math.max(0, costUsd - unknownUsd);
  if (unknownUsd === 0) return money(known);
  const atMost = `up to ${money(unknownUsd)}`;
  return known < 0.000_001 ? atMost : `${money(known)}, ${atMost} more`;
}

/** What there is to know of a turn in one line: `coder, cycle 2, finished, 4:12, $0.42`. */
export function turnWords(turn: TurnFacts): string {
  const { role, cycle, attempt, status, durationMs, recoveries } = turn;
  const parts = [
    `${role}, cycle ${cycle}`,
    attempt > 1 ? `attempt ${attempt}` : "",
    TURN_ENDS[status],
    ...recoveries.map((how) => RECOVERIES[how]),
    durationMs === undefined ? "" : duration(durationMs),
    turnCost(turn),
  ];
  return parts.filter((part) => part !== "").join(", ");
}
