import type { StepType } from "@quasar/hookfile";
import { type RunLoopEvent, clock } from "@quasar/runs/internal";
import { cleanLine, budget, duration, money, fit, firstLine } from "@quasar/runs/text";
import type { TaskEvent } from "@quasar/tasks";
import { advance as advanceLoop, IDLE, type Progress } from "../../shared/output/progress.ts";
import type { Presenter } from "../../shared/output/reporter.ts";
import {
  diagnostic,
  errorLines,
  labelled,
  linesOf as loopLines,
  liveBlock as loopBlock,
  nextLines,
  type Paint,
  stillLines as loopStill,
  turnLimit,
  type View,
} from "../../shared/output/text.ts";
import { outputFacts } from "../facts/output.ts";
import { shortTurn } from "../turn-name.ts";
import { attemptText, labelledText, recoveryText } from "./hook-lines.ts";
import type { AtlasRecord, TaskRecordLine, TaskResultRecord } from "./record.ts";

/** Where a task stands, as far as its records tell. Times are in milliseconds of the given clock. */
export interface TaskProgress {
  readonly steps: number;
  readonly step:
    | {
        readonly name: string;
        readonly type: StepType;
        readonly index: number;
        readonly startedAt: number;
      }
    | undefined;
  /** A command that runs just now. */
  readonly command: string;
  /** Why the last step failed that did. */
  readonly failure: string;
  /** Of the step's agents. */
  readonly loop: Progress;
}

const NOTHING: TaskProgress = { steps: 0, step: undefined, command: "", failure: "", loop: IDLE };

/** Tells a task's records: on a terminal with a live block of the step that runs. */
export const TASK_PRESENTER: Presenter<AtlasRecord, TaskProgress> = {
  facts: outputFacts,
  idle: NOTHING,
  advance,
  lines: linesOf,
  block,
  still,
  isDiagnostic: (record) =>
    record.type === "warning" ||
    record.type === "notice" ||
    record.type === "error" ||
    (record.type === "loop" && record.event.type === "warning"),
  isAwaited: ({ loop, command }) => loop.role !== undefined || command !== "",
  ended: () => NOTHING,
};

function advance(before: TaskProgress, record: AtlasRecord, now: number): TaskProgress {
  switch (record.type) {
    case "task": {
      const { coder, reviewer, maxCycles, maxBudgetUsd } = record;
      const loop = { ...IDLE, coder, reviewer, maxCycles, maxBudgetUsd };
      return { ...NOTHING, steps: record.stepNames.length, loop };
    }
    case "step_started": {
      const { step: name, stepType: type, index } = record;
      const nothing = { role: undefined, activity: "", cycle: 0, findings: 0 };
      const loop = { ...before.loop, ...nothing };
      return { ...before, step: { name, type, index, startedAt: now }, command: "", loop };
    }
    case "loop":
      return { ...before, loop: advanceLoop(before.loop, loopRecord(record), now) };
    case "waiting":
      return { ...before, loop: advanceLoop(before.loop, record, now) };
    case "command_started":
      return { ...before, command: record.command };
    case "command_done":
    case "command_reused":
      return { ...before, command: "" };
    case "step_failed":
      return { ...before, ...REST, failure: record.reason, loop: idle(before.loop) };
    case "step_done":
    case "step_skipped":
    case "awaiting":
    case "stopped":
    case "task_ended":
    case "result":
    case "validated":
    case "error":
      return { ...before, ...REST, loop: idle(before.loop) };
    case "task_started":
    case "recovered":
    case "checkpoint":
    case "warning":
    case "notice":
      return before;
  }
}

const REST = { step: undefined, command: "" } as const;

function idle(loop: Progress): Progress {
  return { ...loop, role: undefined };
}

/** Where an agent has a turn by itself there are no cycles to speak of. */
function isOwnTurn(
  { event }: Extract<TaskEvent, { type: "loop" }>,
  { step }: TaskProgress,
): boolean {
  return event.type === "cycle_start" && step?.type !== "loop";
}

/** Of an event of a task's agents; a turn has the name by which `atlas show` knows it. */
function loopRecord({ event, spentUsd }: Extract<TaskEvent, { type: "loop" }>): RunLoopEvent {
  if (!("turnId" in event)) return { ...event, spentUsd };
  return { ...event, turnId: shortTurn(event.turnId), spentUsd };
}

function linesOf(record: AtlasRecord, progress: TaskProgress, view: View): string[] {
  const { paint } = view;
  switch (record.type) {
    case "task":
      return taskLines(record, view);
    case "task_started":
      return [];
    case "recovered": {
      const { step, action, reason } = record;
      const where = step === "" ? "the set-up" : `step ${cleanLine(step)}`;
      return [
        paint("bold", `recovered: ${where} was interrupted`),
        ...labelled(view, "does", recoveryText(action, reason)),
      ];
    }
    case "step_started": {
      const { step, stepType, index, attempt, maxAttempts } = record;
      const { failedAttempts: failed = attempt - 1 } = record;
      const again = attempt > 1 ? `, ${attemptText({ attempt, maxAttempts, failed })}` : "";
      const of = progress.steps === 0 ? "" : ` of ${progress.steps}`;
      return [paint("bold", `step ${index + 1}${of} ${cleanLine(step)} (${stepType})${again}`)];
    }
    case "step_skipped": {
      const { step, index, reason, evidence } = record;
      const why = evidence === "" ? reason : `${reason} (${evidence})`;
      const of = progress.steps === 0 ? "" : ` of ${progress.steps}`;
      return [
        paint("bold", `step ${index + 1}${of} ${cleanLine(step)}`),
        ...labelled(view, "skipped", cleanLine(why)),
      ];
    }
    case "step_done": {
      const said = fit(cleanLine(record.summary), 300);
      const text = `in ${duration(record.durationMs)}${said === "" ? "" : `: ${said}`}`;
      return labelled(view, "done", text, "green");
    }
    case "step_failed": {
      const [head = "", ...more] = record.reason.split("\n");
      const again = record.goesOn ? "; retrying" : "";
      const reason = [fit(cleanLine(head), 600) + again, ...more].join("\n");
      return labelledText(view, "failed", reason, "yellow");
    }
    case "loop":
      return isOwnTurn(record, progress)
        ? []
        : loopLines(loopRecord(record), progress.loop, view, "atlas resume");
    case "waiting":
      return loopLines(record, progress.loop, view, "atlas resume");
    case "command_started":
      return view.live ? [] : labelled(view, "runs", cleanLine(record.command));
    case "command_done": {
      const { command, exitCode, durationMs, receiptId } = record;
      const verdict = exitCode === 0 ? "passed" : `failed with ${exitCode}`;
      const text = `${cleanLine(command)}: ${verdict} in ${duration(durationMs)} (${receiptId})`;
      return labelled(view, "command", text, exitCode === 0 ? undefined : "yellow");
    }
    case "command_reused":
      return labelled(
        view,
        "command",
        `${cleanLine(record.command)}: already passed on this tree (${record.receiptId})`,
      );
    case "checkpoint": {
      const { checkpointId, trigger, description } = record.checkpoint;
      return labelled(
        view,
        "saved",
        `${checkpointId} (${trigger}) ${fit(cleanLine(description), 120)}`,
      );
    }
    case "awaiting":
    case "stopped":
    case "task_ended":
      return []; // the result says it
    case "result":
      return resultLines(record, progress, view);
    case "validated": {
      const style = record.outcome === "passed" ? "green" : "yellow";
      const [head = "", ...more] = record.message.split("\n").map(cleanLine);
      return [
        paint(style, head),
        ...more.flatMap((line) => labelled(view, "", line)),
        ...nextLines(record.next, view),
      ];
    }
    case "warning":
      return diagnostic(view, "warning: ", "yellow", record.message);
    case "notice":
      return diagnostic(view, "", undefined, record.message);
    case "error":
      return errorLines(record, view);
  }
}

function taskLines(task: TaskRecordLine, view: View): string[] {
  const limit = task.maxBudgetUsd === 0 ? "no budget limit" : money(task.maxBudgetUsd);
  return [
    view.paint("bold", `atlas task ${task.taskId}`),
    ...labelled(view, "task", firstLine(task.description)),
    ...labelled(view, "in", cleanLine(`${task.workTree}, branch ${task.branch}`)),
    ...labelled(view, "steps", cleanLine(`${task.template}: ${task.stepNames.join(" → ")}`)),
    ...labelled(view, "agents", cleanLine(`coder ${task.coder}, reviewer ${task.reviewer}`)),
    ...labelled(view, "allowed", cleanLine(task.allowed)),
    ...(task.prices === undefined ? [] : labelled(view, "prices", cleanLine(task.prices))),
    ...labelled(
      view,
      "limits",
      `${limit}, ${task.maxCycles} cycles a loop${turnLimit({ ...task, turnRole: "coder" })}`,
    ),
  ];
}

const OUTCOMES: Readonly<Record<TaskResultRecord["outcome"], string>> = {
  completed: "completed",
  failed: "failed",
  abandoned: "abandoned",
  awaiting: "waits for you",
  interrupted: "interrupted",
  budget: "stopped: budget used up",
  limit: "stopped: a usage limit",
  storage: "stopped: its state could not be saved",
};

/** What there is no reason to be told for. */
const SELF_EVIDENT: ReadonlySet<TaskResultRecord["outcome"]> = new Set([
  "completed",
  "interrupted",
]);

function resultLines(
  result: TaskResultRecord,
  { loop, failure }: TaskProgress,
  view: View,
): string[] {
  const where = result.step === "" ? "" : ` in step ${cleanLine(result.step)}`;
  const style = result.outcome === "completed" ? "green" : "yellow";
  const { spentUsd, unknownUsd } = result;
  const cost = { spentUsd, unknownUsd, hasUnreportedCosts: false };
  // What a step has just failed of stands above, with all its lines.
  const [head = ""] = result.message.split("\n");
  const why = result.message === failure ? head.replace(/:$/u, " (see above)") : result.message;
  const message = fit(why.toWellFormed(), 2000);
  const saved = result.outcome === "interrupted" ? "; everything is saved" : "";
  return [
    view.paint(style, OUTCOMES[result.outcome] + where + saved),
    ...(SELF_EVIDENT.has(result.outcome) ? [] : labelledText(view, "because", message)),
    ...(spentUsd > 0 ? labelled(view, "cost", budget(cost, loop.maxBudgetUsd)) : []),
    ...(result.limit === undefined ? [] : labelled(view, "limit", cleanLine(result.limit))),
    ...nextLines(result.next, view),
  ];
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

function still({ step, command, loop }: TaskProgress, now: number, view: View): string[] {
  if (step === undefined || command === "") return loopStill(loop, now, view);
  const elapsed = clock(now - step.startedAt);
  return labelled(view, "command", `${cleanLine(command)}: still runs, ${elapsed} in the step`);
}

/** The step that runs, and what is done in it just now. */
function block(progress: TaskProgress, now: number, columns: number, paint: Paint): string[] {
  const { step, steps, command, loop } = progress;
  if (step === undefined) return [];
  const elapsed = now - step.startedAt;
  const frame = FRAMES[Math.floor(elapsed / 100) % FRAMES.length] ?? "";
  const facts = [`step ${step.index + 1} of ${steps} ${cleanLine(step.name)}`, clock(elapsed)];
  const head = `${paint("cyan", frame)} ${fit(facts.join(" · "), columns - 3)}`;
  // Where an agent has a turn by itself there are no cycles to speak of.
  const shown = step.type === "loop" ? loop : { ...loop, cycle: 0 };
  const below = loopBlock(shown, now, columns - 2, paint);
  if (below.length > 0) return [head, ...below.map((line) => `  ${line}`)];
  const doing = command === "" ? "" : fit(`runs ${cleanLine(command)}`, columns - 5);
  return doing === "" ? [head] : [head, paint("dim", `  ${doing}`)];
}
