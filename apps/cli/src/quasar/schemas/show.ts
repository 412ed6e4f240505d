import * as v from "valibot";
import {
  flag,
  list,
  object,
  runId,
  text,
  texts,
  timeOrNone,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { agentEvent, finding, report, role } from "../../shared/schemas/parts.ts";
import { endedTurn, turn } from "../../shared/schemas/turn.ts";
import { run, snapshot } from "./parts.ts";

const lastTurn = object(
  {
    turnId: text("<run>.<n>"),
    role,
    attempt: whole("Counts the starts of the same piece of work, from 1"),
    status: word(["started", "settled"], "started: how it ended is not known yet"),
    allowanceUsd: usd("What it may spend at most; 0: no limit"),
    unmetered: flag(
      "Whether its agent is not known to report what a turn costs: reservedUsd counts from the first",
    ),
    reservedUsd: usd("What counts if its cost stays unknown"),
    startedAt: timeOrNone("When it began"),
    sessionId: text('The agent\'s own name for its conversation; "" while it is not known'),
    resumed: flag("Whether it continues the agent session of an earlier turn"),
    pid: whole("The process that runs the agent; 0 before there is one"),
    startTicks: whole("When that started, in clock ticks since boot; 0 where unknown"),
    bootId: text('Of the boot that it was started in; "" where unknown'),
    host: text('The machine that it was started on; "" where unknown'),
    retries: whole("How often the same piece of work was retried"),
    kills: whole("How many of these retries came after the agent was killed"),
    retryAt: timeOrNone("When it is retried, where that is due"),
  },
  "The last turn, as the checkpoint has it",
);

const supervisorFailure = object(
  { turnId: text("<run>.<n>"), text: text("What it printed") },
  "A supervisor of an agent that failed",
);

export const showLine = result("show", "All of one run", {
  run: v.optional(run),
  dir: text("Where its files are"),
  seal: word(
    ["valid", "digest", "foreign", "none"],
    "Whether its checkpoint is whole. digest: it is, but its writer was not checked. none: it has no seal",
  ),
  source: word(["current", "previous"], "previous: the newest checkpoint cannot be used"),
  warnings: texts("What is wrong with its files"),
  turns: list(endedTurn, "Oldest first"),
  lastTurn: v.optional(lastTurn),
  allFindings: list(finding, "Of all cycles: one for each time that it was found"),
  report: v.optional(report),
  message: v.optional(text("What it said when it was last left")),
  snapshots: list(snapshot, "Oldest first"),
  supervisorFailures: list(supervisorFailure, "In the order of their turns"),
});

export const turnLine = result("turn", "What an agent said and did in one turn", {
  runId: runId(),
  turn,
  isKept: flag("Whether what its agent printed is still there"),
  events: list(agentEvent, "In the order in which they happened"),
});

export type ShowLine = Printed<typeof showLine>;
export type TurnLine = Printed<typeof turnLine>;
