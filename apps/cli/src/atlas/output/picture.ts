import { type HookFile, isTerminal, type StepRecord } from "@quasar/hookfile";
import {
  cleanLine,
  budget,
  count,
  duration,
  fit,
  widthOf,
  wrap,
  firstLine,
} from "@quasar/runs/text";
import type { TaskView } from "@quasar/tasks";
import { failedAttempts, type TaskCost } from "@quasar/tasks/record";
import { labelled, nextLines, type Style, type View } from "../../shared/output/text.ts";
import { quarantineLines } from "./quarantine-lines.ts";
import { chainLines } from "./chain-lines.ts";
import {
  ago,
  attemptText,
  checkpointText,
  hookLines,
  labelledText,
  verdictText,
} from "./hook-lines.ts";

/** What the picture of a task is made from. */
export interface PictureFacts
  extends Pick<TaskView, "hook" | "task" | "verdicts" | "chain" | "problems" | "quarantined"> {
  readonly owner: TaskView["owner"];
  /** How its last drive said that it stopped, where nobody has worked on it since. @default not */
  readonly stop?: TaskView["stop"];
  /** Milliseconds. */
  readonly now: number;
  readonly cost: TaskCost;
  readonly next: readonly string[];
  /** The task as it was named, where it was. */
  readonly id?: string | undefined;
}

/** A task at a glance: its steps, where it stands, what is proved, and what is next. */
export function pictureLines(facts: PictureFacts, view: View): string[] {
  const { hook, now } = facts;
  return [
    ...headLines(facts, view),
    "",
    ...stepLines(facts, view),
    "",
    ...hookLines(hook, now).flatMap((line) => wrap(line, view.columns ?? Infinity)),
    ...nowLines(facts, view),
    ...receiptLines(facts, view),
    ...chainLines(facts.chain, view),
    ...nextLines(facts.next, view),
  ];
}

/** What a task is, where it works, what it has cost, and what is wrong with its files. */
export function headLines(facts: PictureFacts, view: View): string[] {
  const { hook, task } = facts;
  const { maxBudgetUsd } = task.config;
  const { spentUsd, unknownUsd } = facts.cost;
  return [
    ...wrap(
      firstLine(hook.title === "" ? hook.description : hook.title),
      view.columns ?? Infinity,
    ).map((line) => view.paint("bold", line)),
    ...labelled(view, "task", cleanLine(`${hook.taskId} (${hook.template})`)),
    ...labelled(view, "in", cleanLine(`${hook.worktreePath}, branch ${hook.branch}`)),
    ...pullRequestLines(task, view),
    ...labelled(
      view,
      "cost",
      budget({ spentUsd, unknownUsd, hasUnreportedCosts: false }, maxBudgetUsd),
    ),
    ...facts.cost.problems.flatMap((text) => labelled(view, "", cleanLine(text), "yellow")),
    ...quarantineLines(facts.quarantined, facts.id, view),
    ...facts.problems
      .filter(({ code }) => code !== "damaged_hook")
      .flatMap(({ message }) => labelled(view, "repaired", cleanLine(message), "yellow")),
  ];
}

/** Where a task's pull request is; `undefined` where it has none. */
export function pullRequestOf({ stepResults }: PictureFacts["task"]): string | undefined {
  const urls = stepResults.map(({ metadata }) => metadata["pr_url"]);
  return urls.findLast((one): one is string => typeof one === "string");
}

function pullRequestLines(task: PictureFacts["task"], view: View): string[] {
  const url = pullRequestOf(task);
  return url === undefined ? [] : labelled(view, "PR", cleanLine(url));
}

interface Look {
  readonly mark: string;
  readonly word: string;
  readonly style: Style | undefined;
}

/** A step that is not what it seems by its record alone: where the task stands says more. */
function lookOf(step: StepRecord, { hook, stop }: PictureFacts): Look {
  const isCurrent = hook.currentStep?.stepName === step.name;
  if (isCurrent && hook.state === "awaiting_human") {
    return { mark: "?", word: "waits", style: "yellow" };
  }
  if (isCurrent && stop !== undefined) return { mark: "!", word: "stopped", style: "yellow" };
  if (isCurrent && hook.state === "recovering") {
    return { mark: "!", word: "interrupted", style: "yellow" };
  }
  return LOOKS[step.status];
}

const LOOKS: Readonly<Record<StepRecord["status"], Look>> = {
  completed: { mark: "✓", word: "done", style: "green" },
  skipped: { mark: "-", word: "skipped", style: "dim" },
  running: { mark: "▶", word: "running", style: "cyan" },
  failed: { mark: "✗", word: "failed", style: "red" },
  rework: { mark: "↻", word: "again", style: "yellow" },
  pending: { mark: "·", word: "", style: "dim" },
};

const MAX_NAME = 24;

/** A line a step: mark, name, state, time, and what there is to say. */
export function stepLines(facts: PictureFacts, view: View): string[] {
  const { hook, now } = facts;
  const rows = hook.steps.map((step) => {
    const look = lookOf(step, facts);
    const time = timeOf(step, hook, now);
    return { look, name: fit(cleanLine(step.name), MAX_NAME), time, note: noteOf(step, hook) };
  });
  const names = Math.max(...rows.map(({ name }) => widthOf(name)));
  const words = Math.max(...rows.map(({ look }) => widthOf(look.word)));
  const times = Math.max(...rows.map(({ time }) => widthOf(time)));
  const before = 4 + names + 2 + words + 2 + times + 2;
  const pad = (text: string, width: number): string => text + " ".repeat(width - widthOf(text));
  return rows.map(({ look, name, time, note }) => {
    const paint = (text: string): string =>
      look.style === undefined ? text : view.paint(look.style, text);
    const room = view.columns === undefined ? undefined : Math.max(0, view.columns - before);
    const said = room === undefined ? note : room < 8 ? "" : fit(note, room);
    const gap = " ".repeat(times - widthOf(time));
    const plain = [pad(look.word, words), `${gap}${time}`, said].join("  ").trimEnd();
    return `  ${paint(look.mark)} ${pad(name, names)}  ${paint(plain)}`.trimEnd();
  });
}

function timeOf(step: StepRecord, hook: HookFile, now: number): string {
  if (step.status === "running" && hook.state !== "recovering" && step.startedAt !== undefined) {
    return duration(Math.max(0, now - Date.parse(step.startedAt)));
  }
  return step.durationMs === undefined ? "" : duration(step.durationMs);
}

function noteOf(
  { name, attempts: attempt, maxAttempts, note, receiptIds }: StepRecord,
  hook: HookFile,
): string {
  const isCurrent = hook.currentStep?.stepName === name;
  const parts = [
    isCurrent || attempt > 1
      ? attemptText({ attempt, maxAttempts, failed: failedAttempts(hook, name) })
      : "",
    receiptIds.length === 0 ? "" : count(receiptIds.length, "receipt"),
    note ?? "",
  ];
  return cleanLine(parts.filter((part) => part !== "").join(", "));
}

/** Who is at it, on what, and what is waited for. */
function nowLines({ hook, owner, now, stop }: PictureFacts, view: View): string[] {
  const { currentStep, awaiting, recovery } = hook;
  const lines: string[] = [];
  if (owner !== undefined) lines.push(...labelled(view, "driven", `by process ${owner.pid}`));
  if (currentStep?.workingOn !== undefined && awaiting === undefined) {
    lines.push(...labelled(view, "at", fit(cleanLine(currentStep.workingOn), 300)));
  }
  const last = hook.checkpoints.at(-1);
  if (last !== undefined) lines.push(...labelled(view, "saved", checkpointText(last)));
  if (stop !== undefined) {
    const text = `${ago(stop.at, now)}: ${stop.message}`;
    lines.push(...labelled(view, "stopped", cleanLine(text), "yellow"));
  } else if (recovery !== undefined) {
    const text = `seen ${ago(recovery.detectedAt, now)}, in ${recovery.lastKnownState}: ${recovery.reason}`;
    lines.push(...labelled(view, "cut off", cleanLine(text), "yellow"));
  }
  if (awaiting !== undefined) lines.push(...labelledText(view, "waits", awaiting.reason, "yellow"));
  if (isTerminal(hook.state)) lines.push(...labelled(view, "ended", ago(hook.updatedAt, now)));
  return lines;
}

const MOST_RECEIPTS = 8;

function receiptLines({ hook, verdicts }: PictureFacts, view: View): string[] {
  const shown = hook.receipts.slice(-MOST_RECEIPTS);
  const earlier = hook.counts.receipts - shown.length;
  const lines = shown.flatMap((receipt, n) => {
    const { text, style } = verdictText(receipt, verdicts.get(receipt.receiptId));
    const what = `${receipt.receiptId}  ${fit(cleanLine(receipt.command), 60)}: ${text}`;
    return labelled(view, n === 0 ? "receipts" : "", cleanLine(what), style);
  });
  return earlier > 0 ? [...lines, ...labelled(view, "", `and ${earlier} before them`)] : lines;
}
