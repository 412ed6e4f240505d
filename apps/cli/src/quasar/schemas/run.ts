import * as v from "valibot";
import type { outputFacts } from "../../shared/facts/output.ts";
import { errorLine } from "../../shared/schemas/error-line.ts";
import {
  flag,
  list,
  milliseconds,
  runId,
  sha,
  shaOrNone,
  steps,
  text,
  texts,
  time,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import {
  type Described,
  linesOf,
  type Printed,
  type Timed,
  timedLine,
} from "../../shared/schemas/line.ts";
import {
  agentSays,
  checkDone,
  FAILURES,
  LOOP_EVENTS,
  reviewComplete,
  taskSuccess,
} from "../../shared/schemas/loop-events.ts";
import { fileChange, finding, report } from "../../shared/schemas/parts.ts";
import { SPENDING } from "./spending.ts";

/** How a run ended. */
export const outcome = word(["approved", "struggling", ...FAILURES], "How it ended, for a program");

const runLine = timedLine(
  "run",
  "The first line: which run is worked on, by whom and within what",
  {
    runId: runId(),
    task: text("In words"),
    workTree: text("The top folder of its work tree"),
    branch: text('"" where HEAD is on none'),
    coder: text("The agent's name"),
    reviewer: text("The agent's name"),
    maxCycles: whole("How many it may have"),
    maxBudgetUsd: usd("The limit; 0: none"),
    turnRole: word(["coder", "reviewer"], "Whose turn starts next"),
    turnBudgetUsd: usd("What that turn may spend; 0: no limit"),
    spentUsd: usd("What counts against the limit, over all crashes"),
    unknownUsd: usd("The part of spentUsd that was spent at most"),
    hasUnreportedCosts: flag("Whether turns without a limit did not say what they cost"),
    allowed: text("What the coder may do, in words"),
    prices: v.optional(text("Prices that the user has set, in words")),
  },
);

/** What quasar itself does or sees, and what it waits for. */
export const noticeLine = timedLine("notice", "Something that quasar itself did or saw", {
  message: text("For a person"),
});

export const waitingLine = timedLine("waiting", "The run waits for a usage limit to be lifted", {
  retryAt: time("When it is tried again"),
  waitMs: milliseconds("From now"),
  isKnown: flag("Whether the agent said when; else it is tried at growing intervals"),
  message: text("As the agent said it"),
});

const resultLine = timedLine("result", "The last line of a run that ended", {
  exit: whole("The exit code, which the README lists"),
  outcome,
  runId: runId(),
  cycle: whole("The last one"),
  ...SPENDING,
  message: text("How it ended, for a person"),
  report: v.optional(report),
  findings: list(finding, "Of all cycles: one for each time that it was found"),
  baseSha: shaOrNone("Where it began"),
  finalSha: shaOrNone("Where it ended"),
  commits: list(sha("A commit"), "Those of the run"),
  files: list(fileChange, "In what the commits differ from where it began"),
  changed: flag("Whether the run has changed what is committed"),
  checked: flag("Whether the run had a check"),
  caches: texts("Folders of tools' caches that are left out of the commits"),
  retryAt: v.optional(time("When a usage limit is lifted, where the agent said so")),
  limit: v.optional(text("When that is, and why it is not waited for, in words")),
  next: steps(),
});

export const stepLine = timedLine("step", "A step of the demo", {
  title: text("What it is"),
  lines: texts("What it shows"),
});

/** What all lines of a run have that are made of its events. */
export const OF_LOOP = {
  time: time("When it was printed"),
  taskId: v.optional(text("An id of the task, the same over all resumes")),
  headSha: v.optional(shaOrNone("HEAD, as the loop last saw it")),
  spentUsd: v.optional(usd("What counts against the limit by now")),
  unknownUsd: v.optional(usd("The part of spentUsd that was spent at most")),
};

/** What a run reports of its loop. */
export const RUN_EVENTS = [
  ...LOOP_EVENTS,
  ...[agentSays, checkDone, reviewComplete, taskSuccess],
] as const;

/** What `run` and `resume` print. */
export const RUN_LINES = [
  runLine,
  ...linesOf(RUN_EVENTS, OF_LOOP),
  noticeLine,
  waitingLine,
  resultLine,
  errorLine,
] as const;

/** What `demo` prints. */
export const DEMO_LINES = [stepLine, ...RUN_LINES] as const;

export type RunLine = Described<
  Printed<(typeof DEMO_LINES)[number]>,
  Timed<ReturnType<typeof outputFacts>>
>;
