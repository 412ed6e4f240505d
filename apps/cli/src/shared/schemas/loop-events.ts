import type { FailureReason } from "@quasar/loop";
import * as v from "valibot";
import {
  flag,
  list,
  milliseconds,
  object,
  sha,
  text,
  texts,
  time,
  usd,
  whole,
  word,
} from "./kinds.ts";
import { agentEvent, changeCount, denial, finding, report, role } from "./parts.ts";

const event = <const T extends string, E extends v.ObjectEntries>(
  type: T,
  what: string,
  entries: E,
) => object({ type: v.literal(type), ...entries }, what);

const cycle = whole("From 1; 0: before the first");
const turnId = text("<run>.<n>, the turn");
const snapshotEntries = {
  n: whole("Counts the run's snapshots, from 1"),
  ref: text("Where git keeps it, while the run has not ended"),
  sha: sha("Its commit, which is on no branch"),
};

/** Why a task did not end approved. */
export const FAILURES = [
  "max_cycles",
  "budget",
  "agent",
  "interrupted",
  "checkpoint",
  "storage",
  "git",
  "check",
  "work-tree",
  "approved-differs",
  "superseded",
] as const satisfies readonly FailureReason[];

/** What an agent says or does. */
export const agentSays = event("agent_event", "An agent says or does something", {
  cycle,
  role,
  event: agentEvent,
});

export const checkDone = event("check_done", "A lint command or a check ended", {
  cycle,
  check: word(["lint", "filter"], "filter: one that has to pass before a review"),
  name: text("The command"),
  passed: flag("Whether it did"),
  output: text("What it printed"),
});

export const reviewComplete = event("review_complete", "A cycle is whole", {
  cycle,
  approved: flag("Whether the reviewer approved"),
  findings: list(finding, "Those of this cycle"),
});

export const taskSuccess = event("task_success", "The task is approved", {
  cycle,
  report: v.optional(report),
});

/** What else the loop says. */
export const LOOP_EVENTS = [
  event("cycle_start", "A cycle begins", { cycle }),
  event("agent_start", "A turn begins", {
    cycle,
    role,
    turnId,
    attempt: whole("Above 1: the same work was begun before, and did not end well"),
  }),
  event("agent_done", "A turn ended well", {
    cycle,
    role,
    turnId,
    costUsd: v.optional(usd("What it cost; left out: unknown")),
    durationMs: milliseconds("How long it took"),
    summary: v.optional(text("What a coder says of its work at the end: the beginning of it")),
  }),
  event("tools_denied", "What the agent of a turn was not allowed to do", {
    cycle,
    role,
    turnId,
    denials: list(denial, "In the order in which they happened"),
  }),
  event("committed", "The work of a coder's turn is committed", {
    cycle,
    turnId,
    sha: v.optional(sha("The commit; left out: nothing had changed")),
    by: v.optional(word(["checks", "git hook"], "What changed files after the coder")),
    paths: v.optional(texts("Those files")),
    changes: v.optional(changeCount),
  }),
  event("undone", "Files that a reviewer changed are put back; a snapshot has its version", {
    cycle,
    turnId,
    paths: texts("Those files"),
    ...snapshotEntries,
  }),
  event("task_failed", "The task did not end approved", {
    cycle,
    reason: word(FAILURES, "Why, for a program"),
    message: text("Why, for a person"),
  }),
  event("refactored", "The task text was replaced while it was worked on", { cycle }),
  event("struggle_detected", "The cycles come to the same findings again and again", {
    cycle,
    message: text("For a person"),
  }),
  event("resumed", "A run is resumed from its checkpoint", {
    cycle,
    message: text("For a person"),
    details: texts("What is reused and what is done again, for a person"),
  }),
  event("turn_recovered", "What became of a turn that an earlier process began", {
    cycle,
    role,
    turnId,
    how: word(
      ["followed", "read", "resumed", "restarted"],
      "followed: its agent works. read: it has ended. resumed: it continues in its own conversation. restarted: it begins again",
    ),
    reason: v.optional(text("Why it failed, where it is taken again")),
  }),
  event("turn_retry", "A turn failed of something that passes, and is retried after a pause", {
    cycle,
    role,
    turnId,
    retry: whole("Which retry of the same piece of work it is, from 1"),
    maxRetries: whole("How many it may have"),
    retryAt: time("When it begins"),
    waitMs: milliseconds("From now"),
    message: text("Why the turn failed"),
  }),
  event("snapshot", "What was not committed is kept, before a turn is taken again", {
    cycle,
    ...snapshotEntries,
    isStaged: v.optional(flag("Whether it holds what was staged and differs from the files")),
  }),
  event("warning", "What a person should know, and what stops nothing", {
    cycle,
    message: text("For a person"),
  }),
] as const;
