import type { AgentEvent } from "@quasar/loop";
import type { OutputRecord } from "./record.ts";

/** Where a run stands, as far as its records tell. Times are in milliseconds of the given clock. */
export interface Progress {
  readonly coder: string;
  readonly reviewer: string;
  readonly maxCycles: number;
  readonly maxBudgetUsd: number;
  readonly cycle: number;
  /** Who works just now. */
  readonly role: "coder" | "reviewer" | undefined;
  readonly turnStartedAt: number;
  /** Spent by turns that have ended. */
  readonly settledUsd: number;
  /** Spent by the turn that runs, as its agent streams it. */
  readonly turnUsd: number;
  /** Whether a turn's cost is unknown: what was spent is then at least the sum. */
  readonly costUnknown: boolean;
  /** Of the last review. */
  readonly findings: number;
  readonly activity: string;
}

export const IDLE: Progress = {
  coder: "coder",
  reviewer: "reviewer",
  maxCycles: 0,
  maxBudgetUsd: 0,
  cycle: 0,
  role: undefined,
  turnStartedAt: 0,
  settledUsd: 0,
  turnUsd: 0,
  costUnknown: false,
  findings: 0,
  activity: "",
};

/** Dollars spent so far, the running turn included. */
export function spentUsd(progress: Progress): number {
  return progress.settledUsd + progress.turnUsd;
}

/** The progress after a record. */
export function advance(before: Progress, record: OutputRecord, now: number): Progress {
  const told = "spentUsd" in record ? record.spentUsd : undefined;
  const progress = told === undefined ? before : { ...before, settledUsd: told };
  switch (record.type) {
    case "run": {
      const { coder, reviewer, maxCycles, maxBudgetUsd, spentUsd: settledUsd } = record;
      return { ...IDLE, coder, reviewer, maxCycles, maxBudgetUsd, settledUsd };
    }
    case "resumed":
    case "cycle_start":
      return { ...progress, cycle: record.cycle, role: undefined, activity: "" };
    case "agent_start": {
      const { cycle, role } = record;
      return { ...progress, cycle, role, turnStartedAt: now, turnUsd: 0, activity: "" };
    }
    case "agent_event":
      return { ...progress, ...seen(progress, record.event) };
    case "agent_done": {
      const costUnknown = progress.costUnknown || record.costUsd === undefined;
      return { ...progress, role: undefined, turnUsd: 0, costUnknown, activity: "" };
    }
    case "review_complete":
      return { ...progress, findings: record.approved ? 0 : record.findings.length };
    case "task_success":
    case "task_failed":
    case "result":
    case "step":
      return { ...progress, role: undefined, activity: "" };
    case "committed":
    case "check_done":
    case "refactored":
    case "struggle_detected":
    case "warning":
    case "notice":
    case "error":
      return progress;
  }
}

function seen(progress: Progress, event: AgentEvent): Partial<Progress> {
  switch (event.type) {
    case "text":
      return event.text.trim() === "" ? {} : { activity: event.text };
    case "tool":
      return { activity: `${event.name} ${event.detail}` };
    case "retry":
      return { activity: `tries again: ${event.message}` };
    case "usage":
      return { turnUsd: Math.max(progress.turnUsd, event.costUsd) };
    case "session":
      return {};
  }
}
