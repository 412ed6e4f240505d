import type { NebulaState } from "@quasar/nebula";
import { eventWords } from "@quasar/nebula/facts";
import { failedBase, redBaseWords } from "@quasar/nebula/internal";
import type { Change } from "@quasar/nebula/port";
import { momentAfter } from "@quasar/runs/words";

/** What is in the way of all phases, and whether that is the branch itself. */
export interface Blocked {
  readonly words: string;
  readonly isRed: boolean;
}

/** Ends of a conductor that a person has to know of; what the others mean the phases say. */
const TOLD: ReadonlySet<string> = new Set(["budget", "error"]);

/** Why nothing begins, by what has happened; `undefined`: nothing is known to be in the way. @param isConducted - Whether a machine has the lane now */
export function blockedBy(
  events: Change["events"],
  { branch }: Pick<NebulaState, "branch">,
  isConducted: boolean,
): Blocked | undefined {
  const red = failedBase(events);
  if (red !== undefined) return { words: redBaseWords(branch, red), isRed: true };
  const last = events.findLast(({ type }) => type === "engine_begins" || type === "engine_ends");
  if (isConducted || last?.type !== "engine_ends" || !TOLD.has(last.end)) return undefined;
  const words = eventWords(last, momentAfter).map(({ text, why = "" }) => `${text}${why}`);
  return { words: words.join(" "), isRed: false };
}
