import type { TurnRecovery } from "@quasar/loop";
import type { Fact } from "../journal/fact.ts";
import { textIn, timeIn } from "./fields.ts";

/** A life as the journal tells it. */
export interface LifeStory {
  readonly startedAt: string;
  /** The last sign of life: its last record that is no notice. */
  readonly lastAt: string;
  /** The outcome that it noted; `""`: none. */
  readonly end: string;
  readonly message: string;
  readonly recovered: { readonly turnId: string; readonly how: TurnRecovery } | undefined;
  /** Whether the loop has not begun yet. */
  readonly isBeginning: boolean;
  /** Whether a turn was started in it. */
  readonly hasTurn: boolean;
  /** Until when it waits at a usage limit; `""`: it does not. */
  readonly waitsUntil: string;
}

/** What the journal says of a run while nobody works on it. */
const ASIDE: ReadonlySet<string> = new Set(["notice", "warning", "result", "abandoned", "forked"]);
/** What the loop says only when it works. */
const WORK: ReadonlySet<string> = new Set([
  "resumed",
  "cycle_start",
  "agent_start",
  "turn_recovered",
]);
const RECOVERIES: ReadonlySet<unknown> = new Set<TurnRecovery>([
  "followed",
  "read",
  "resumed",
  "restarted",
]);

/** Milliseconds by which a wait that has ended may be late. */
const LATE_MS = 60_000;

/** The lives after one more record; what was before of the last of them is in the new one. */
export function livesAfter(lives: readonly LifeStory[], fact: Fact): readonly LifeStory[] {
  const at = timeIn(fact["time"]);
  const last = lives.at(-1);
  if (last === undefined) return fact.type === "forked" ? lives : [lived(begun(at), fact, at)];
  if (begins(last, fact, at)) return [...lives, lived(begun(at), fact, at, lives.length)];
  // What was left of a run is given up by another command.
  if (fact.type === "abandoned" || last.end !== "") return lives;
  return [...lives.slice(0, -1), lived(last, fact, at, lives.length - 1)];
}

function begun(startedAt: string): LifeStory {
  const nothing = { end: "", message: "", recovered: undefined, waitsUntil: "" };
  return { startedAt, lastAt: startedAt, ...nothing, isBeginning: true, hasTurn: false };
}

function begins(last: LifeStory, { type }: Fact, at: string): boolean {
  if (last.end !== "") return !ASIDE.has(type);
  switch (type) {
    case "accepted":
      return !last.isBeginning;
    case "waiting":
      return last.waitsUntil !== "";
    case "resumed":
      return !last.isBeginning && !isAfterWait(last, at);
    default:
      return false;
  }
}

/** Whether the loop continues in the same command, which has waited at a usage limit. */
function isAfterWait({ waitsUntil }: LifeStory, at: string): boolean {
  const lateMs = Date.parse(at) - Date.parse(waitsUntil);
  return lateMs > -1000 && lateMs < LATE_MS;
}

function lived(life: LifeStory, fact: Fact, at: string, before: number = 0): LifeStory {
  const { type } = fact;
  const isWork = WORK.has(type);
  return {
    ...life,
    lastAt: type === "notice" || at === "" ? life.lastAt : at,
    isBeginning: life.isBeginning && !isWork,
    hasTurn: life.hasTurn || type === "agent_start",
    waitsUntil: type === "waiting" ? timeIn(fact["until"]) : isWork ? "" : life.waitsUntil,
    end: type === "result" ? textIn(fact["outcome"]) || "ended" : life.end,
    message: type === "result" ? textIn(fact["message"]) : life.message,
    recovered: life.recovered ?? (before > 0 && !life.hasTurn ? recoveredIn(fact) : undefined),
  };
}

function recoveredIn(fact: Fact): LifeStory["recovered"] {
  const how = recoveryIn(fact);
  return how && { turnId: textIn(fact["turnId"]), how };
}

/** How a record says that a turn was recovered; `undefined` where it is none that says so. */
export function recoveryIn({ type, how }: Fact): TurnRecovery | undefined {
  return type === "turn_recovered" && RECOVERIES.has(how) ? (how as TurnRecovery) : undefined;
}
