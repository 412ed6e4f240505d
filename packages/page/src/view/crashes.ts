import type { LifeFacts } from "@quasar/runs/facts";
import { crashWords } from "@quasar/runs/report";
import type { ReportData } from "../report-data.ts";
import { timeMs } from "./runs.ts";

/** What became of a report's work when commands were killed. */
export interface Crashes {
  /** `3 crashes, 0 turns paid for again`. */
  readonly headline: string;
  /** The commands that worked on it, oldest first. */
  readonly lives: readonly LifeFacts[];
}

export function crashesOf(data: ReportData): Crashes {
  const { recovery, lives } = data.kind === "run" ? data.run : data.nebula;
  return { headline: crashWords(recovery), lives };
}

/** How long a life was, in milliseconds; `undefined`: unknown. */
export function lifeMs({ startedAt, endedAt }: LifeFacts): number | undefined {
  const [from, to] = [timeMs(startedAt), timeMs(endedAt)];
  return from === undefined || to === undefined ? undefined : to - from;
}
