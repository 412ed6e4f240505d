import type { AgentEvent } from "@quasar/agents";
import type { Finding } from "@quasar/loop";
import { dollarsAllowed, openedWords } from "@quasar/loop/internal";
import { clock, dayAndTime } from "@quasar/runs/internal";
import {
  CHECK_LABELS,
  checkWords,
  commitWords,
  doneWords,
  momentAfter,
  outcomeText,
  recoveryWords,
  REFACTORED,
  retriedWords,
  retryWords,
  reviewWords,
  snapshotWords,
  startWords,
  undoneWords,
  waitingWords,
} from "@quasar/runs/words";
import {
  budget,
  clean,
  cleanLine,
  count,
  firstLine,
  fit,
  money,
  shellWord,
  widthOf,
  wrap,
} from "@quasar/runs/text";
import type { Waiting } from "@quasar/runs/tree";
import { allowFlags } from "../next-steps.ts";
import { isReview, structuredIn } from "./answer.ts";
import { fileLines } from "./changes.ts";
import { checkOf, tellingLines } from "./check-output.ts";
import { worstFindings } from "./findings.ts";
import { type Progress, spendingOf } from "./progress.ts";
import type { ErrorRecord, OutputRecord, ResultRecord, RunRecord } from "./record.ts";
import { REMARK } from "../remark.ts";

export type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";
export type Paint = (style: Style, text: string) => string;

/** How text is laid out. */
export interface View {
  /** Columns to wrap at; `undefined` where the output is no terminal: a line is then never broken. */
  readonly columns: number | undefined;
  readonly paint: Paint;
  /** Whether a live block shows who works, so that the start of a turn needs no line. */
  readonly live: boolean;
}

/** Columns before the text of a labelled line. */
export const LABEL = 11;

/** A labelled line; what is too long for the terminal continues under its own beginning. */
export function labelled(view: View, label: string, text: string, style?: Style): string[] {
  // Whatever a caller takes for clean: files of a run hold any text where we write an id.
  const [name, said] = [clean(label), clean(text)];
  const gap = `  ${name}`.padEnd(LABEL).padEnd(name.length + 3);
  // What a long label takes of its line.
  const taken = "x".repeat(Math.max(0, widthOf(gap) - LABEL));
  const columns = view.columns === undefined ? undefined : Math.max(20, view.columns - LABEL);
  const whole = taken + said;
  const [first = "", ...others] = columns === undefined ? [whole] : wrap(whole, columns);
  const parts = [first.slice(taken.length), ...others];
  return parts.map((part, n) => {
    const painted = style === undefined ? part : view.paint(style, part);
    return `${n === 0 ? view.paint("dim", gap) : " ".repeat(LABEL)}${painted}`.trimEnd();
  });
}

/**
 * The lines that tell a record to a person. Those of `notice`, `warning` and `error` are diagnostics.
 *
 * @param resume - The command that continues what the record is of; `""`: the run's own of `quasar`.
 */
export function linesOf(
  record: OutputRecord,
  progress: Progress,
  view: View,
  resume: string = "",
): string[] {
  const { paint } = view;
  switch (record.type) {
    case "run":
      return runLines(record, view);
    case "resumed":
      return [
        paint("bold", cleanLine(record.message)),
        ...record.details.flatMap((detail) => labelled(view, "", cleanLine(detail))),
      ];
    case "cycle_start":
      return [paint("bold", `cycle ${record.cycle} of ${progress.maxCycles}`)];
    case "agent_start": {
      return view.live ? [] : labelled(view, record.role, startWords(record));
    }
    case "turn_recovered": {
      return labelled(view, record.role, recoveryWords(record));
    }
    case "turn_retry":
      return retryLines(record, view);
    case "agent_event":
      return agentEventLines(record.role, record.event, view);
    case "agent_done":
      return [
        ...labelled(view, record.role, doneWords(record)),
        ...summaryLines(record.summary ?? "", view),
      ];
    case "tools_denied":
      return deniedLines(record, resume, view);
    case "committed":
      return labelled(view, "commit", commitWords(record));
    case "undone": {
      const text = undoneWords(record, broughtBack(record, resume));
      return labelled(view, "reviewer", text, "yellow");
    }
    case "snapshot":
      return labelled(view, "snapshot", snapshotWords(record, broughtBack(record, resume)));
    case "check_done": {
      const style = record.passed ? undefined : "yellow";
      const printed = record.passed ? [] : tellingLines(record.output);
      return [
        ...labelled(view, CHECK_LABELS[record.check], checkWords(record), style),
        ...printed.flatMap((line) => labelled(view, "", line)),
      ];
    }
    case "review_complete":
      return reviewLines(record, resume === "" ? progress.runId : "", view);
    case "refactored":
      return labelled(view, "task", REFACTORED);
    case "struggle_detected":
      return labelled(view, "struggle", cleanLine(record.message), "yellow");
    case "task_success":
    case "task_failed":
      return [];
    case "step":
      return [
        "",
        ...wrapped(view, cleanLine(record.title)).map((line) => paint("cyan", line)),
        ...record.lines.flatMap((line) => wrapped(view, clean(line), "  ")),
      ];
    case "result":
      return resultLines(record, progress, view);
    case "warning":
      return diagnostic(view, "warning: ", "yellow", record.message);
    case "notice":
      return diagnostic(view, "", undefined, record.message);
    case "waiting":
      return waitingLines(record, view);
    case "error":
      return errorLines(record, view);
  }
}

type Denied = Extract<OutputRecord, { readonly type: "tools_denied" }>;

/** What brings a snapshot back: a task's runs are none of `quasar`'s. */
function broughtBack(
  { n, ref }: { readonly n: number; readonly ref: string },
  resume: string,
): string {
  return resume === "" ? `quasar restore ${n}` : `git restore --source ${shellWord(ref)} :/`;
}

/** What was denied, what allowing it opens, and the command that does. */
function deniedLines({ turnId, denials }: Denied, resume: string, view: View): string[] {
  const command = resume === "" ? `quasar resume ${turnId.replace(/\.\d+$/u, "")}` : resume;
  return denials.flatMap(({ what, allow }) => {
    if (allow.length === 0) return labelled(view, "denied", `\`${cleanLine(what)}\``, "yellow");
    const asked = `\`${cleanLine(what)}\`; to open ${cleanLine(openedWords(allow))}:`;
    const typed = cleanLine(`${command} ${allowFlags(allow)}`);
    return [
      ...labelled(view, "denied", asked, "yellow"),
      ...labelled({ ...view, columns: undefined }, "", typed, "cyan"),
      ...labelled(view, "", "(while it runs: Ctrl-C first; once approved: with the next run)"),
    ];
  });
}

function agentEventLines(role: string, event: AgentEvent, view: View): string[] {
  switch (event.type) {
    case "retry":
      return labelled(view, role, `tries again: ${cleanLine(event.message)}`, "yellow");
    case "unpriced": {
      const name = cleanLine(event.model);
      const { maxTokens } = event;
      const held =
        maxTokens === undefined
          ? "its cost is not known"
          : `its turns are limited to ${maxTokens.toLocaleString("en-US")} tokens`;
      const words = `no price is known for ${name}: ${held}; set [prices."${name}"] in your own configuration`;
      return labelled(view, role, words, "yellow");
    }
    case "text":
      // A review is shown when it is complete.
      return structuredIn(event.text) !== undefined || (role === "reviewer" && isReview(event.text))
        ? []
        : inOneLine(view, role, withoutSubject(event.text));
    case "tool":
      return inOneLine(view, role, [event.name, event.detail].filter(Boolean).join(": "), "dim");
    case "denied":
    case "session":
    case "usage":
      return [];
  }
}

/** What a coder says, less the subject that it proposes for its commit. */
function withoutSubject(text: string): string {
  return text.replace(/(?:^|\n)\s*COMMIT: [^\n]*\s*$/u, "");
}

const MOST_OF_SUMMARY = 8;

/** A summary of more than the line in which its agent has just said it. */
function summaryLines(summary: string, view: View): string[] {
  const columns = Math.max(20, (view.columns ?? UNBROKEN) - LABEL);
  if (widthOf(cleanLine(summary)) <= columns) return [];
  const lines = summary
    .split("\n")
    .map(cleanLine)
    .filter((line) => line !== "");
  const shown = lines.slice(0, MOST_OF_SUMMARY).map((line) => fit(line, 300));
  const more = lines.length > shown.length ? ["…"] : [];
  return [...shown, ...more].flatMap((line) => labelled(view, "", line));
}

/** Columns of what an agent says or does where there is no terminal. */
const UNBROKEN = 160;

/** What an agent says or does, however long it is. */
function inOneLine(view: View, role: string, text: string, style?: Style): string[] {
  const columns = Math.max(20, (view.columns ?? UNBROKEN) - LABEL);
  const line = fit(cleanLine(text), columns);
  return line === "" ? [] : labelled(view, role, line, style);
}

function retryLines(record: Extract<OutputRecord, { type: "turn_retry" }>, view: View): string[] {
  const at = dayAndTime(record.until)?.time ?? record.until;
  return [
    ...labelled(view, record.role, retriedWords(record), "yellow"),
    ...labelled(view, "", `${retryWords(record, at)} Ctrl-C stops; everything is saved.`),
  ];
}

function waitingLines(waiting: Waiting, view: View): string[] {
  const text = waitingWords(waiting, momentAfter(waiting.until));
  return [
    ...labelled(view, "limit", cleanLine(waiting.message), "yellow"),
    ...labelled(view, "", `${text}; Ctrl-C stops; everything is saved`),
  ];
}

function runLines(run: RunRecord, view: View): string[] {
  const where = run.branch === "" ? run.workTree : `${run.workTree}, branch ${run.branch}`;
  const limit = run.maxBudgetUsd === 0 ? "no budget limit" : money(run.maxBudgetUsd);
  const reserved = run.unknownUsd > 0 ? ` (up to ${money(run.unknownUsd)} of it unknown)` : "";
  const spent = run.spentUsd > 0 ? `, ${money(run.spentUsd)} spent${reserved}` : "";
  return [
    view.paint("bold", `quasar run ${run.runId}`),
    ...labelled(view, "task", firstLine(run.task)),
    ...labelled(view, "in", cleanLine(where)),
    ...labelled(view, "agents", cleanLine(`coder ${run.coder}, reviewer ${run.reviewer}`)),
    ...labelled(view, "allowed", cleanLine(run.allowed)),
    ...(run.prices === undefined ? [] : labelled(view, "prices", cleanLine(run.prices))),
    ...labelled(
      view,
      "limits",
      `${count(run.maxCycles, "cycle")}, ${limit}${spent}${turnLimit(run)}`,
    ),
  ];
}

/** What the turn that starts next may spend; where a budget is used up nothing is started. */
export function turnLimit({
  turnRole,
  turnBudgetUsd,
}: Pick<RunRecord, "turnRole" | "turnBudgetUsd">): string {
  if (turnBudgetUsd < 0.005) return "";
  return `; a ${turnRole}'s turn may spend up to ${dollarsAllowed(turnBudgetUsd)}`;
}

/** @param runId - Of a run that `quasar show` knows; `""`: none. */
function reviewLines({ approved, findings }: Review, runId: string, view: View): string[] {
  const words = reviewWords({ approved, findings });
  if (approved) return labelled(view, "review", words, "green");
  const told = findings.filter((finding) => !isShown(finding));
  return [
    ...findingList(told, runId === "" ? undefined : `quasar show ${runId}`, view),
    ...labelled(view, "review", words, "yellow"),
  ];
}

type Review = Extract<OutputRecord, { readonly type: "review_complete" }>;

/**
 * The worst of the findings, and how many more there are.
 *
 * @param command - What shows all of them; `undefined`: nothing does.
 */
export function findingList(
  findings: readonly Finding[],
  command: string | undefined,
  view: View,
): string[] {
  const worst = worstFindings(findings);
  const hidden = findings.length - worst.length;
  const more = `and ${hidden} more${command === undefined ? "" : `: ${command}`}`;
  return [
    ...worst.flatMap((finding) => findingLines(finding, view)),
    ...(hidden === 0 ? [] : labelled(view, "", more)),
  ];
}

/** A finding that is what a check has printed, of which the screen has just had the lines. */
function isShown({ description }: Finding): boolean {
  return /^\[filter:(?!commit\])/u.test(description);
}

/** A finding of a reviewer is a paragraph; one of a check keeps the lines that say what is wrong. */
export function findingLines(finding: Finding, view: View): string[] {
  const severity = fit(cleanLine(finding.severity), 12);
  const failed = checkOf(finding.description);
  if (failed === undefined) {
    return labelled(view, "finding", fit(`${severity}: ${cleanLine(finding.description)}`, 600));
  }
  return [
    ...labelled(view, "finding", `${severity}: ${cleanLine(failed.check)} failed`),
    ...tellingLines(failed.printed).flatMap((line) => labelled(view, "", line)),
  ];
}

/** What a reviewer thinks of the work as a whole. */
export function reportLines(
  report: NonNullable<ResultRecord["report"]>,
  view: View,
): readonly string[] {
  const human = report.needsHumanReview ? ", a person should look at it" : "";
  const opinion = `satisfaction ${report.satisfaction}, risk ${report.risk}${human}`;
  return [
    ...labelled(view, "report", cleanLine(opinion)),
    ...labelled(view, "", fit(cleanLine(report.summary), 1000)),
  ];
}

function resultLines(result: ResultRecord, progress: Progress, view: View): string[] {
  const { paint } = view;
  const approved = result.outcome === "approved";
  const isPlain = approved || result.outcome === "interrupted";
  const cycles = approved ? ` after ${count(result.cycle, "cycle")}` : ` in cycle ${result.cycle}`;
  const { spentUsd, unknownUsd } = result;
  const { hasUnreportedCosts } = progress;
  const { report } = result;
  const lines = [
    paint(approved ? "green" : "yellow", `${outcomeText(result.outcome)}${cycles}`),
    ...(approved ? besideApproval(result) : []),
    ...(isPlain ? [] : becauseLines(result, view)),
    ...labelled(
      view,
      "cost",
      budget({ spentUsd, unknownUsd, hasUnreportedCosts }, progress.maxBudgetUsd),
    ),
    ...labelled(view, "commits", commitsText(result)),
    ...fileLines(result.files).flatMap((line, n) => labelled(view, n === 0 ? "changed" : "", line)),
    ...leftOutLines(result, view),
  ];
  if (report !== undefined) lines.push(...reportLines(report, view));
  if (result.limit !== undefined) {
    lines.push(...labelled(view, "limit", cleanLine(result.limit)));
  }
  return [...lines, ...nextLines(result.next, view)];
}

/** What an approval has to say beside that there is one: that nothing was changed or checked, or that lint fails. */
function besideApproval({ message, changed, checked }: ResultRecord): string[] {
  return [...approvalLines(message), ...(checked || !changed ? [] : [NOT_CHECKED])];
}

/** What the message of an approval says beside that there is one. */
export function approvalLines(message: string): readonly string[] {
  const [, rest = ""] = /^The reviewer approved[^.]*\. *(.*)$/su.exec(message) ?? [];
  return rest === "" ? [] : [cleanLine(rest)];
}

const NOT_CHECKED = 'No check ran: only the reviewer saw the work. Add one: --check "<command>"';

/** What a git hook has printed keeps its lines. */
function becauseLines({ message }: ResultRecord, view: View): string[] {
  return message
    .split("\n")
    .flatMap((line, n) => labelled(view, n === 0 ? "because" : "", cleanLine(line)));
}

function commitsText(result: ResultRecord): string {
  const shas = [...new Set(result.commits)].filter((sha) => sha !== result.baseSha);
  return shas.length === 0 ? "none" : shas.map((sha) => sha.slice(0, 10)).join(" ");
}

/** What the commits lack that a person may take for work. */
function leftOutLines({ caches }: ResultRecord, view: View): string[] {
  if (caches.length === 0) return [];
  const what = caches.length === 1 ? "a cache: name it" : "caches: name them";
  return labelled(
    view,
    "left out",
    `${fit(cleanLine(caches.join(", ")), 300)} (${what} in .gitignore)`,
  );
}

/** What went wrong, and what to do about it. */
export function errorLines(error: ErrorRecord, view: View): string[] {
  return [...diagnostic(view, "error: ", "red", error.message), ...nextLines(error.next, view)];
}

const COMMAND =
  /^(?:quasar|atlas|git|cd|df|kill|mv|cat|rm|npm|claude|codex|chmod|alias|ls|dmesg|quota|ulimit|export|restate|scp|tail|\$\{EDITOR:-vi\}) /u;

/** Whether a line is a command to type: it is never broken, so that it can be copied. */
export function isCommand(line: string): boolean {
  return COMMAND.test(line);
}

/**
 * What to type next, one suggestion a line. A command is never broken, so that it can be copied; its explanation goes
 * under it where both do not fit.
 *
 * @param label - Of the first line.
 */
export function nextLines(next: readonly string[], view: View, label: string = "next"): string[] {
  return next.flatMap((step, n) => {
    const name = n === 0 ? label : "";
    const whole = cleanLine(step);
    if (!isCommand(step)) return labelled(view, name, whole, "cyan");
    const unbroken = { ...view, columns: undefined };
    const [, command = "", why = ""] = EXPLAINED.exec(step) ?? [];
    if (command === "" || LABEL + widthOf(whole) <= (view.columns ?? Number.POSITIVE_INFINITY)) {
      return labelled(unbroken, name, whole, "cyan");
    }
    const columns = view.columns === undefined ? Infinity : view.columns - LABEL - HASH.length;
    const remarks = wrap(cleanLine(why), columns).map((line) => `${HASH}${line}`);
    return [cleanLine(command), ...remarks].flatMap((line, at) =>
      labelled(unbroken, at === 0 ? name : "", line, "cyan"),
    );
  });
}

/** A command with what it is for. */
const EXPLAINED = new RegExp(`^(.*\\S)${REMARK}(.*)$`, "su");
const HASH = REMARK.trimStart();

/** What is told beside the results. */
export function diagnostic(
  view: View,
  prefix: string,
  style: Style | undefined,
  message: string,
): string[] {
  const columns = (view.columns ?? Number.POSITIVE_INFINITY) - widthOf(prefix);
  const lines = message.split("\n").map(cleanLine);
  const [head = "", ...rest] = lines.flatMap((line) =>
    isCommand(line) ? [line] : wrap(line, columns),
  );
  const painted = style === undefined ? prefix : view.paint(style, prefix);
  return [painted + head, ...rest.map((line) => " ".repeat(widthOf(prefix)) + line)];
}

/** Prose of ours, which is broken where there is no terminal too. */
function wrapped(view: View, text: string, indent = ""): string[] {
  const lines = wrap(text, (view.columns ?? 80) - indent.length);
  return lines.map((line) => (indent + line).trimEnd());
}

/** What is left of a wait. */
function waitingLine(progress: Progress, now: number, columns: number, paint: Paint): string {
  const left = clock(Math.max(0, progress.waitsUntil - now));
  const until = momentAfter(new Date(progress.waitsUntil).toISOString());
  const facts = [progress.waitsFor, `${left} left`, `until ${until}`];
  return paint("yellow", fit(facts.join(" · "), columns - 1));
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

/** That somebody still works, where no live block says it; none where nobody does. */
export function stillLines(progress: Progress, now: number, view: View): string[] {
  if (progress.waitsUntil > 0) {
    const left = clock(Math.max(0, progress.waitsUntil - now));
    return labelled(view, "limit", `${progress.waitsFor}, ${left} left`);
  }
  if (progress.role === undefined) return [];
  const spent = budget(spendingOf(progress), progress.maxBudgetUsd);
  const facts = [`still works, ${clock(now - progress.turnStartedAt)}`, spent];
  return labelled(view, progress.role, facts.join(", "));
}

/** The live block: who works, for how long, for how much, on what. Empty when nobody works. */
export function liveBlock(
  progress: Progress,
  now: number,
  columns: number,
  paint: Paint,
): string[] {
  if (progress.waitsUntil > 0) return [waitingLine(progress, now, columns, paint)];
  if (progress.role === undefined) return [];
  const elapsed = now - progress.turnStartedAt;
  const frame = FRAMES[Math.floor(elapsed / 100) % FRAMES.length] ?? "";
  const agent = progress.role === "coder" ? progress.coder : progress.reviewer;
  const findings = progress.findings === 0 ? "" : ` · ${count(progress.findings, "finding")}`;
  const facts = [
    `${progress.role} works`,
    ...(progress.cycle === 0 ? [] : [`cycle ${progress.cycle} of ${progress.maxCycles}`]),
    clock(elapsed),
    budget(spendingOf(progress), progress.maxBudgetUsd) + findings,
  ];
  const head = fit(facts.join(" · "), columns - 3);
  const activity = progress.activity === "" ? `${agent} has said nothing yet` : progress.activity;
  const detail = fit(cleanLine(activity.slice(-2000)), columns - 5);
  return [`${paint("cyan", frame)} ${head}`, paint("dim", `  ${detail}`)];
}
