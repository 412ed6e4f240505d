import type { LifeFacts } from "@quasar/runs/facts";
import type { KeptEvent } from "../state/recent-events.ts";

/** One engine, as the journal has it. */
export interface Life {
  readonly startedAt: string;
  /** Of the last of its events. */
  readonly lastAt: string;
  /** How it ended; `""`: it has left no word. */
  readonly end: string;
  readonly message: string;
}

/** What a command records where no engine works: it is no sign of life. */
const OF_COMMANDS: ReadonlySet<KeptEvent["type"]> = new Set([
  ...(["decision", "plan_decision", "question_answered"] as const),
  ...(["nebula_updated", "base_update"] as const),
]);

/** @param lives - Oldest first. */
export function livesAfter(lives: readonly Life[], event: KeptEvent): readonly Life[] {
  const last = lives.at(-1);
  const isOpen = last?.end === "";
  const { type, at } = event;
  if (type === "engine_begins" || (type === "nebula_begun" && !isOpen)) {
    return [...lives, { startedAt: at, lastAt: at, end: "", message: "" }];
  }
  if (!isOpen || OF_COMMANDS.has(type)) return lives;
  const change = type === "engine_ends" ? { end: event.end, message: event.message } : {};
  return [...lives.slice(0, -1), { ...last, ...change, lastAt: at }];
}

/** @param isWorking - Whether an engine works now: it is the last one. */
export function livesOf(lives: readonly Life[], isWorking: boolean): readonly LifeFacts[] {
  return lives.map(({ startedAt, lastAt, end, message }, at) => {
    const isNow = isWorking && end === "" && at === lives.length - 1;
    if (isNow) return { startedAt, endedAt: "", end: "working", message, recovered: undefined };
    return { startedAt, endedAt: lastAt, end: end || "killed", message, recovered: undefined };
  });
}
