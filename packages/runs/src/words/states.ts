import type { FindingStatus } from "@quasar/checkpoint";
import type { TurnRecovery } from "@quasar/loop";
import type { TurnSummary } from "../look/turns.ts";
import { cleanLine } from "../text/clean.ts";

/** How a turn ended, in a word. */
export const TURN_ENDS: Readonly<Record<TurnSummary["status"], string>> = {
  settled: "done",
  failed: "failed",
  lost: "cut off",
  open: "open",
};

/** What became of a finding, in words. */
export const FINDING_STATUSES: Readonly<Record<FindingStatus, string>> = {
  found: "found",
  fixed: "fixed",
  still_present: "still present",
  regressed: "came back",
};

/** What became of a turn that a crash had cut off, once that is over. */
export const RECOVERED: Readonly<Record<TurnRecovery, string>> = {
  followed: "reattached",
  read: "read after a crash",
  resumed: "session continued",
  restarted: "started again",
};

/** Of `<run>.<n>` what tells the turns of a run apart. */
export function shortId(turnId: string): string {
  return cleanLine(turnId.slice(turnId.lastIndexOf(".") + 1));
}
