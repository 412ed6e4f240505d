import * as v from "valibot";
import { errorLine } from "../../shared/schemas/error-line.ts";
import {
  list,
  runId,
  shaOrNone,
  text,
  time,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import {
  type EventSchema,
  line,
  type LineSchema,
  linesOf,
  timedLine,
  withKeys,
} from "../../shared/schemas/line.ts";
import {
  agentSays,
  checkDone,
  LOOP_EVENTS,
  reviewComplete,
  taskSuccess,
} from "../../shared/schemas/loop-events.ts";
import { standing } from "./parts.ts";
import { noticeLine, outcome, waitingLine } from "./run.ts";

const ofTurn = { turnId: text('<run>.<n>, the turn; "" where there was none') };

/** What the loop says, as a journal has it. */
const facts = [
  ...LOOP_EVENTS,
  withKeys(checkDone, ofTurn),
  withKeys(reviewComplete, {
    ...ofTurn,
    changedFindings: list(standing, "The findings that stand otherwise than before, or are new"),
  }),
  withKeys(taskSuccess, ofTurn),
];

/** A journal leaves the lists of a fact out that would be longer than it holds. */
function shortenable(fact: EventSchema): EventSchema {
  const lists = Object.entries(fact.entries).filter(([, { type }]) => type === "array");
  if (lists.length === 0) return fact;
  const optional = lists.map(([key, list]) => [key, v.optional(list as v.GenericSchema)]);
  const isShortened = v.pipe(
    v.literal(true),
    v.description("Its lists are left out: they were too long"),
  );
  return withKeys(fact, {
    ...(Object.fromEntries(optional) as v.ObjectEntries),
    isShortened: v.optional(isShortened),
  });
}

const resultLine = timedLine("result", "A runner ended the run, approved or not", {
  outcome,
  cycle: whole("The last one"),
  spentUsd: usd("What counts against the limit"),
  unknownUsd: usd("The part of it that was spent at most"),
  message: text("How it ended, for a person"),
  finalSha: shaOrNone("Where it ended"),
  retryAt: v.optional(time("When a usage limit is lifted, where the agent said so")),
});

const acceptedLine = timedLine("accepted", "A user had the run resumed all the same", {
  what: word(["head", "branch", "dirty", "trust"], "What the user accepted"),
  reason: text("What stood against it"),
});

const forkedLine = timedLine("forked", "The run begins from a state of another one", {
  fromRunId: runId("The other one"),
  cycle: whole("The cycle that it is in"),
});

/** What `log` prints. */
export const LOG_LINES: readonly LineSchema[] = [
  ...linesOf(facts.map(shortenable), {
    time: time("When it was noted"),
    headSha: shaOrNone("HEAD, as the loop last saw it"),
  }),
  line("agent_event", "An agent says or does something: it is printed with --agent", {
    cycle: agentSays.entries.cycle,
    role: agentSays.entries.role,
    turnId: text("<run>.<n>, the turn"),
    event: agentSays.entries.event,
  }),
  noticeLine,
  waitingLine,
  resultLine,
  acceptedLine,
  forkedLine,
  timedLine("abandoned", "A user gave the run up", {}),
  errorLine,
];
