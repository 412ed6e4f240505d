import * as v from "valibot";
import { errorLine } from "../../shared/schemas/error-line.ts";
import {
  flag,
  milliseconds,
  steps,
  text,
  texts,
  time,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { type Described, type Printed, type Timed, timedLine } from "../../shared/schemas/line.ts";
import {
  agentSays,
  checkDone,
  LOOP_EVENTS,
  reviewComplete,
  taskSuccess,
} from "../../shared/schemas/loop-events.ts";
import type { outputFacts } from "../facts/output.ts";
import { awaiting, hookState, stepCheckpoint, stepType } from "./parts.ts";

const step = text("The step's name");
const index = whole("Of the step, from 0");
const command = text("What is run");

const loopEvent = v.pipe(
  v.union([...LOOP_EVENTS, agentSays, checkDone, reviewComplete, taskSuccess]),
  v.description("An event of the loop, as quasar run prints it"),
);

/** What happens to a task. */
const EVENTS = [
  timedLine("task_started", "A task was made", {
    taskId: text("The task"),
    workspaceId: text("Its workspace"),
    template: text("By its id"),
    branch: text("The task's branch"),
    workTree: text("Its work tree"),
    stepCount: whole("How many steps it has"),
  }),
  timedLine("recovered", "What a crash has left, and what is done about it", {
    step: text('The step\'s name; "" before the first one'),
    lastState: hookState,
    action: text("What is done"),
    reason: text("Why"),
  }),
  timedLine("step_started", "A step begins", {
    step,
    stepType,
    index,
    attempt: whole("Counts its starts, from 1; those after a crash or a stop included"),
    maxAttempts: whole("How many may fail"),
    failedAttempts: v.optional(whole("How many have")),
  }),
  timedLine("step_skipped", "A step is not needed", {
    step,
    index,
    reason: text("Why"),
    evidence: text("What shows that"),
  }),
  timedLine("step_done", "A step ended well", {
    step,
    index,
    durationMs: milliseconds("How long it took"),
    summary: text("What came of it"),
  }),
  timedLine("step_failed", "An attempt of a step failed", {
    step,
    index,
    reason: text("Why"),
    attempt: whole("From 1"),
    goesOn: flag("Whether it is tried again at once"),
  }),
  timedLine("loop", "What the loop of coder and reviewer says, in a step", {
    step,
    event: loopEvent,
    spentUsd: usd("What counts by now"),
  }),
  timedLine("waiting", "Agents wait for a usage limit to be lifted", {
    step,
    retryAt: time("When it is tried again"),
    waitMs: milliseconds("From now"),
    isKnown: flag("Whether the agent said when; else it is tried at growing intervals"),
    message: text("As the agent said it"),
  }),
  timedLine("command_started", "A validation command begins", { step, command }),
  timedLine("command_done", "A validation command ended", {
    step,
    command,
    exitCode: v.pipe(v.number(), v.integer(), v.description("Of the command")),
    durationMs: milliseconds("How long it took"),
    receiptId: text("Its receipt"),
  }),
  timedLine("command_reused", "A receipt proves the command for what is there", {
    step,
    command,
    receiptId: text("That receipt"),
  }),
  timedLine("checkpoint", "A checkpoint was made", { checkpoint: stepCheckpoint }),
  timedLine("awaiting", "The task waits for a person", {
    step,
    kind: awaiting.entries.kind,
    reason: awaiting.entries.reason,
  }),
  timedLine("stopped", "The task stops, and a resume continues it", {
    step,
    reason: word(["interrupted", "budget", "limit", "storage"], "For a program"),
    message: text("For a person"),
    retryAt: v.optional(time("When a usage limit is lifted, where the agent said so")),
    limit: v.optional(text("When that is, and why it is not waited for, in words")),
    neededBudgetUsd: v.optional(usd("What the task's budget has to be for its next turns")),
  }),
  timedLine("task_ended", "The task ended", { state: hookState }),
  timedLine("warning", "What a person should know, and what stops nothing", {
    message: text("For a person"),
  }),
] as const;

const taskLine = timedLine("task", "The first line: which task is worked on, and by whom", {
  taskId: text("The task"),
  workspaceId: text("Its workspace"),
  description: text("In words"),
  template: text("By its id"),
  workTree: text("The task's work tree"),
  branch: text("Its branch"),
  coder: text("The agent's name"),
  reviewer: text("The agent's name"),
  allowed: text("What the coder may do, in words"),
  turnBudgetUsd: usd("What the coder's next turn may spend; 0: no limit"),
  prices: v.optional(text("Prices that the user has set, in words")),
  maxCycles: whole("How many a step may have"),
  maxBudgetUsd: usd("The limit; 0: none"),
  stepNames: texts("In their order"),
});

const noticeLine = timedLine("notice", "Something that atlas itself did or saw", {
  message: text("For a person"),
});

const resultLine = timedLine("result", "The last line of a task that was worked on", {
  exit: whole("The exit code, which the README lists"),
  outcome: word(
    ["completed", "failed", "abandoned", "awaiting", "interrupted", "budget", "limit", "storage"],
    "How it ended, or why it stopped",
  ),
  taskId: text("The task"),
  state: hookState,
  step: text('The step that is current or next; "" where there is none'),
  message: text("For a person"),
  retryAt: v.optional(time("When a usage limit is lifted, where the agent said so")),
  limit: v.optional(text("When that is, and why it is not waited for, in words")),
  spentUsd: usd("Of the whole task, over all crashes, with what is only reserved"),
  unknownUsd: usd("The part of spentUsd that was spent at most"),
  next: steps(),
});

const validatedLine = timedLine("validated", "The last line of a validation", {
  exit: whole("The exit code, which the README lists"),
  outcome: word(
    ["passed", "failed", "unsettled", "interrupted", "broken", "none"],
    "How it ended. none: there is no command",
  ),
  message: text("For a person"),
  receiptIds: texts("Of the new ones"),
  next: steps(),
});

/** What `start` and `resume` print. */
export const TASK_LINES = [taskLine, ...EVENTS, noticeLine, resultLine, errorLine] as const;

/** What `log` prints. */
export const LOG_LINES = [...EVENTS, errorLine] as const;

/** What `validate` prints. */
export const VALIDATION_LINES = [...EVENTS, noticeLine, validatedLine, errorLine] as const;

export type TaskLine = Described<
  Printed<(typeof TASK_LINES)[number] | typeof validatedLine>,
  Timed<ReturnType<typeof outputFacts>>
>;
