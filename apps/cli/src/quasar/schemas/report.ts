import * as v from "valibot";
import {
  flag,
  list,
  object,
  runId,
  sha,
  shaOrNone,
  text,
  texts,
  timeOrNone,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { type Printed, result, withKeys } from "../../shared/schemas/line.ts";
import { finding, report } from "../../shared/schemas/parts.ts";
import { turn } from "../../shared/schemas/turn.ts";
import { status } from "./parts.ts";
import { BILL } from "./spending.ts";

const RECOVERIES = ["followed", "read", "resumed", "restarted"] as const;
const FOUND =
  "followed: its live agent was reattached. read: its end was used. resumed: its session was continued. restarted: it was started again";

const reportTurn = withKeys(turn, {
  endedAt: timeOrNone("When it ended"),
  recoveries: v.pipe(v.array(v.picklist(RECOVERIES)), v.description(`Oldest first. ${FOUND}`)),
  denied: texts("What its agent was not allowed to do"),
  summary: text("What a coder said of its work at its end"),
});

const cycle = object(
  {
    cycle: whole("From 1"),
    startedAt: timeOrNone("When it began"),
    endedAt: timeOrNone("When it was reviewed"),
    approved: v.optional(flag("Whether the reviewer approved; left out: it was not reviewed")),
    checkResults: list(
      object(
        {
          check: word(["lint", "filter"], "filter: one that has to pass before a review"),
          name: text("The command"),
          passed: flag("Whether it did"),
          output: text("The end of what it printed"),
          endedAt: timeOrNone("When it ended"),
        },
        "A check that ended",
      ),
      "Oldest first",
    ),
  },
  "A cycle of coder, checks and reviewer",
);

const findingWithLife = withKeys(finding, {
  life: list(
    object(
      { cycle: whole("The cycle of the review"), status: finding.entries.status },
      "How it stood after a review",
    ),
    "Each change of its status, oldest first",
  ),
});

const cycleCommit = object(
  {
    sha: sha("The commit"),
    cycle: whole("Its cycle"),
    turnId: text("<run>.<n>, the turn"),
    by: text('Who changed what it holds: checks or git hook; "": the coder'),
    fileCount: v.optional(whole("How many files it changes")),
    added: v.optional(whole("Lines")),
    removed: v.optional(whole("Lines")),
    committedAt: timeOrNone("When it was noted"),
  },
  "A commit of the run",
);

export const life = object(
  {
    startedAt: timeOrNone("When the command began"),
    endedAt: timeOrNone("When it ended; of one that was killed its last sign of life"),
    end: text("killed, working, or the outcome that it noted"),
    message: text("What it said at its end"),
    recovered: v.optional(
      object(
        { turnId: text("<run>.<n>, the turn"), how: word(RECOVERIES, FOUND) },
        "What it found of the turn of the command before",
      ),
    ),
  },
  "A command that worked on the run",
);

export const share = object(
  {
    name: text("coder, reviewer, or a cycle; in no turn: what only the total has"),
    knownUsd: usd("What is known to have been spent"),
    unknownUsd: usd("What was spent at most by turns whose cost is not known"),
    turnCount: whole("How many turns"),
  },
  "A part of the cost",
);

export const happened = object(
  {
    time: timeOrNone("When it happened"),
    type: text("Its type in the journal"),
    turnId: text('<run>.<n>, the turn; "" of the whole run'),
    text: text("In words: one line"),
  },
  "Something that happened",
);

export const reportLine = result("report", "All that a report shows of a run, without secrets", {
  runId: runId(),
  status,
  task: text("In words"),
  reason: text('Why it stopped or cannot be read; "" otherwise'),
  coder: text('The agent; "" where it is unknown'),
  reviewer: text('The agent; "" where it is unknown'),
  cycle: whole("From 1; 0 before the first"),
  maxCycles: whole("How many it may have"),
  baseSha: shaOrNone("Where it began"),
  headSha: shaOrNone("What it was at when it was saved last"),
  fromRunId: text('The run that it was forked from; "": none'),
  startedAt: timeOrNone("Of the first record of its journal"),
  lastAt: timeOrNone("Of the last one"),
  approved: v.optional(flag("What the reviewer said in its cycle; left out: nothing yet")),
  report: v.optional(report),
  ...BILL,
  reservedUsd: usd("The most that the turn may have cost whose end is not known, beyond spentUsd"),
  maxBudgetUsd: usd("The limit; 0: none"),
  costByRole: list(share, "They add up to the total"),
  costByCycle: list(share, "They add up to the total"),
  crashCount: whole("How many of its commands were killed"),
  resumeCount: whole("How many commands continued it"),
  repeatedTurnCount: whole("Turns that had cost something, and were started again after a crash"),
  repeatedUsd: usd("What those had cost, reservations included"),
  turns: list(reportTurn, "Oldest first"),
  cycles: list(cycle, "Oldest first"),
  findings: list(findingWithLife, "In the order in which they were found"),
  cycleCommits: list(cycleCommit, "Oldest first"),
  lives: list(life, "The command that began it, and each that continued it, oldest first"),
  events: list(happened, "Oldest first"),
  warnings: texts("What is wrong with its files"),
  redactionSet: text("Names what was taken out: the same for the same secrets"),
});

export type ReportLine = Printed<typeof reportLine>;
