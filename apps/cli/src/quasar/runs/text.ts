import type { RunStatus, RunSummary } from "@quasar/runs";
import {
  describe,
  isUnfinished,
  type ListedRun,
  mostOfTurn,
  type RunElsewhere,
} from "@quasar/runs/internal";
import { budget, cleanLine, firstLine, fit, moment, money } from "@quasar/runs/text";
import { momentAfter, openTurnWords } from "@quasar/runs/words";
import {
  findingList,
  labelled,
  nextLines,
  type Style,
  type View,
} from "../../shared/output/text.ts";
import { stepsInWords } from "../next-steps.ts";
import { costCell } from "./cost-cell.ts";

const STYLES: Readonly<Record<RunStatus, Style>> = {
  running: "cyan",
  interrupted: "yellow",
  stopped: "yellow",
  approved: "green",
  abandoned: "dim",
  damaged: "red",
};

const PHASES: Readonly<Record<string, string>> = {
  idle: "about to start",
  bead_created: "about to start",
  coding: "the coder's turn",
  code_complete: "the coder is done",
  linting: "lint",
  filtering: "filters",
  reviewing: "the reviewer's turn",
  review_complete: "reviewed",
  resolving_issues: "findings go back to the coder",
  approved: "approved",
  error: "failed",
};

/** A run in full. */
export function runLines(run: RunSummary, view: View): string[] {
  const told = run.status === "approved" || run.status === "damaged" ? [] : run.findings;
  return [
    ...standLines(run, view),
    ...findingList(told, `quasar show ${run.id}`, view),
    ...nextLines(stepsInWords(run.next), view),
  ];
}

/** Where a run stands and what it has cost. */
export function standLines(run: RunSummary, view: View): string[] {
  const { paint } = view;
  const title = `${paint("bold", `run ${run.id}`)} ${paint(STYLES[run.status], run.status)}`;
  const reason =
    run.reason === "" ? [] : labelled(view, "because", fit(cleanLine(run.reason), 1000));
  if (run.status === "damaged") return [title, ...reason];
  return [
    title,
    ...labelled(view, "task", firstLine(run.task)),
    ...labelled(view, "stands", `cycle ${run.cycle} of ${run.maxCycles}, ${stageOf(run)}`),
    ...reason,
    ...(run.retryAt === ""
      ? []
      : labelled(view, "limit", `lifted at ${cleanLine(momentAfter(run.retryAt))}`)),
    ...aliveLines(run, view),
    ...(run.runner === undefined ? [] : labelled(view, "runner", describe(run.runner))),
    ...labelled(view, "cost", budget(run, run.maxBudgetUsd) + openCost(run)),
    ...labelled(view, "commits", run.commits.map((sha) => sha.slice(0, 10)).join(" ") || "none"),
    ...labelled(view, "saved", cleanLine(moment(run.savedAt))),
    ...labelled(view, "findings", openFindings(run)),
  ];
}

/** An agent that works although its runner is gone. */
function aliveLines({ openTurn }: RunSummary, view: View): string[] {
  if (openTurn?.alivePid === undefined) return [];
  const text = `the ${openTurn.role} is still running (process ${openTurn.alivePid}); quasar resume reattaches`;
  return labelled(view, "alive", text, "cyan");
}

export function stageOf(run: Pick<RunSummary, "phase" | "openTurn">): string {
  const stage = PHASES[run.phase] ?? run.phase;
  return run.openTurn === undefined ? stage : `${stage}, not finished`;
}

function openCost({ openTurn }: RunSummary): string {
  if (openTurn === undefined) return "";
  const { reportedUsd = 0 } = openTurn;
  const mostUsd = mostOfTurn(openTurn);
  const told =
    reportedUsd === 0 ? "" : `, ${money(reportedUsd)} so far in the turn that has not ended`;
  if (told === "") return openTurnWords(mostUsd);
  return mostUsd === 0 ? told : `${told} (up to ${money(mostUsd)})`;
}

function openFindings(run: RunSummary): string {
  if (run.findings.length === 0) return "none open";
  const which = run.status === "approved" ? "before the approval" : "open";
  return `${run.findings.length} ${which}`;
}

/** Columns of a time to the minute. */
const MOMENT = 16;

/** Runs in other work trees of the repository, as those of `--worktree` and of `fork`. */
export function elsewhereLines(runs: readonly RunElsewhere[], view: View): string[] {
  return runs.flatMap(({ id, status, root, next }) => [
    "",
    `${isUnfinished({ status }) ? "unfinished" : status}, in a work tree of its own: run ${id}`,
    ...labelled(view, "in", cleanLine(root)),
    ...nextLines(stepsInWords([next]), view),
  ]);
}

/** Columns of a run's id. */
const RUN_ID = 22;
/** What a task needs beside the other columns; where that is not left it stands below them. */
const NARROWEST_TASK = 30;

/** A line of the list; its task stands beside the other columns, or below them. */
function listRow(cells: readonly string[], task: string, { columns }: View): string[] {
  const [id = "", saved = "", status = "", cycles = "", cost = ""] = cells;
  const row = `  ${id.padEnd(RUN_ID)}  ${saved.padEnd(MOMENT)}  ${status.padEnd(11)}  ${cycles.padStart(6)}  ${cost.padStart(7)}`;
  if (columns === undefined) return [`${row}  ${task}`];
  const room = columns - row.length - 2;
  return room < NARROWEST_TASK
    ? [row, fit(`      ${task}`, columns)]
    : [`${row}  ${fit(task, room)}`];
}

/** What the columns of {@link listLines} are. */
export function listHead(view: View): string[] {
  const names = ["run", "saved", "status", "cycles", "cost"];
  const [head = ""] = listRow(names, "task", view);
  return [view.paint("dim", head)];
}

/** Runs as a list. */
export function listLines(runs: readonly ListedRun[], view: View): string[] {
  return runs.flatMap((run) => {
    const isRead = run.status !== "damaged";
    const cycles = isRead ? `${run.cycle}` : "";
    const cost = isRead ? costCell(run) : "";
    const saved = cleanLine(run.savedAt === "" ? "" : moment(run.savedAt));
    const task = isRead ? firstLine(run.task) : cleanLine(run.reason);
    const [row = "", ...below] = listRow([run.id, saved, run.status, cycles, cost], task, view);
    const at = RUN_ID + MOMENT + 6;
    const status = view.paint(STYLES[run.status], run.status);
    return [row.slice(0, at) + status + row.slice(at + run.status.length), ...below];
  });
}
