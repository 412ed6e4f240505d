import type { AgentEvent } from "@quasar/agents";
import type { Spending } from "@quasar/runs/internal";
import { structuredIn } from "./answer.ts";
import type { OutputRecord } from "./record.ts";

/** Where a run stands, as far as its records tell. Times are in milliseconds of the given clock. */
export interface Progress {
  /** `""` while it is not known. */
  readonly runId: string;
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
  /** The part of `settledUsd` that was reserved for turns whose cost is not known. */
  readonly unknownUsd: number;
  /** Whether the cost of turns without a limit was not reported. */
  readonly hasUnreportedCosts: boolean;
  /** Of the last review. */
  readonly findings: number;
  readonly activity: string;
  /** Until when the run waits; 0 while it does not. */
  readonly waitsUntil: number;
  /** What it waits for, in words. */
  readonly waitsFor: string;
}

export const IDLE: Progress = {
  runId: "",
  coder: "coder",
  reviewer: "reviewer",
  maxCycles: 0,
  maxBudgetUsd: 0,
  cycle: 0,
  role: undefined,
  turnStartedAt: 0,
  settledUsd: 0,
  turnUsd: 0,
  unknownUsd: 0,
  hasUnreportedCosts: false,
  findings: 0,
  activity: "",
  waitsUntil: 0,
  waitsFor: "",
};

/** What is spent so far, the running turn included. */
export function spendingOf(progress: Progress): Spending {
  const { settledUsd, turnUsd, unknownUsd, hasUnreportedCosts } = progress;
  return { spentUsd: settledUsd + turnUsd, unknownUsd, hasUnreportedCosts };
}

/** The progress after a record. */
export function advance(before: Progress, record: OutputRecord, now: number): Progress {
  const progress = { ...before, ...told(record), ...waitOf(record, now) };
  switch (record.type) {
    case "run": {
      const { runId, coder, reviewer, maxCycles, maxBudgetUsd, hasUnreportedCosts } = record;
      const given = { runId, coder, reviewer, maxCycles, maxBudgetUsd, hasUnreportedCosts };
      return { ...IDLE, ...told(record), ...given };
    }
    case "resumed":
    case "cycle_start":
      return { ...progress, cycle: record.cycle, role: undefined, activity: "" };
    case "agent_start": {
      const { cycle, role } = record;
      return { ...progress, cycle, role, turnStartedAt: now, turnUsd: 0, activity: "" };
    }
    case "turn_recovered": {
      const { cycle, role, how } = record;
      if (how !== "followed" && how !== "read") return progress;
      return { ...progress, cycle, role, turnStartedAt: now, turnUsd: 0, activity: "" };
    }
    case "agent_event":
      return { ...progress, ...seen(progress, record.event) };
    case "agent_done": {
      const hasUnreportedCosts = progress.hasUnreportedCosts || record.costUsd === undefined;
      return { ...progress, role: undefined, turnUsd: 0, hasUnreportedCosts, activity: "" };
    }
    case "review_complete":
      return { ...progress, findings: record.approved ? 0 : record.findings.length };
    case "task_success":
    case "task_failed":
    case "turn_retry":
    case "waiting":
    case "result":
    case "step":
      return { ...progress, role: undefined, activity: "" };
    case "committed":
    case "tools_denied":
    case "snapshot":
    case "undone":
    case "check_done":
    case "refactored":
    case "struggle_detected":
    case "warning":
    case "notice":
    case "error":
      return progress;
  }
}

/** What the record says of a wait that begins with it; any other record ends a wait. */
function waitOf(record: OutputRecord, now: number): Pick<Progress, "waitsUntil" | "waitsFor"> {
  switch (record.type) {
    case "waiting":
      return { waitsUntil: now + record.waitMs, waitsFor: "waits for the usage limit" };
    case "turn_retry":
      return { waitsUntil: now + record.waitMs, waitsFor: `waits to retry the ${record.role}` };
    default:
      return { waitsUntil: 0, waitsFor: "" };
  }
}

/** What the record says of the money. */
function told(record: OutputRecord): Partial<Progress> {
  if (!("spentUsd" in record) || record.spentUsd === undefined) return {};
  const { spentUsd: settledUsd, unknownUsd = 0 } = record;
  return { settledUsd, unknownUsd };
}

function seen(progress: Progress, event: AgentEvent): Partial<Progress> {
  switch (event.type) {
    case "text":
      if (event.text.trim() === "" || structuredIn(event.text) !== undefined) return {};
      return { activity: event.text };
    case "tool":
      return { activity: `${event.name} ${event.detail}` };
    case "retry":
      return { activity: `tries again: ${event.message}` };
    case "usage":
      return { turnUsd: Math.max(progress.turnUsd, event.costUsd) };
    case "denied":
    case "session":
    case "unpriced":
      return {};
  }
}
