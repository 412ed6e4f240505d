import type { RunFacts } from "../facts/run-facts.ts";
import { outcomeText } from "../words/events.ts";
import { budget, count, duration, openTurnWords } from "../text/format.ts";
import { code, fence } from "./inert.ts";
import {
  historyParts,
  crashWords,
  type ReportLimits,
  type ReportPart,
  workParts,
} from "./parts.ts";

export interface ReportOptions {
  /** Commands that show more or continue it, for a person to type. @default none */
  readonly next?: readonly string[] | undefined;
  /** Names what was taken out of the facts; `""`: nothing was. @default "" */
  readonly redactionSet?: string | undefined;
}

/** Characters of a report: GitHub takes 65,536 in a description. */
const MOST = 60_000;

/** From the whole to what always fits. */
const LIMITS: readonly ReportLimits[] = [
  { rows: 100, text: 8_000 },
  { rows: 40, text: 4_000 },
  { rows: 10, text: 1_000 },
];

/**
 * A run as GitHub-flavoured Markdown of at most 60,000 characters; it names what it leaves out. All text of agents and of the
 * repository stands in code, in which nothing acts.
 *
 * @param facts - Without secrets.
 * @returns The same for the same facts and options; it ends with a line feed.
 */
export function runMarkdown(facts: RunFacts, options: ReportOptions = {}): string {
  return bounded((limits) => rendered(facts, options, limits));
}

/** The first report that is not too long: with less and less of what there is. */
export function bounded(report: (limits: ReportLimits) => string): string {
  const whole = LIMITS.map(report);
  return whole.find(({ length }) => length <= MOST) ?? whole.at(-1) ?? "";
}

function rendered(facts: RunFacts, options: ReportOptions, limits: ReportLimits): string {
  const parts = [...workParts(facts, limits), ...historyParts(facts, limits)];
  return [
    `## Run ${code(facts.id, 60)}`,
    verdictLine(facts),
    ...(facts.task.trim() === "" ? [] : [fence(facts.task, limits.text)]),
    ...parts.map((part) => sectionText(part, "###")),
    sectionText(
      { title: "How to reproduce", text: reproduceText(facts, options.next ?? []) },
      "###",
    ),
    footer(options),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

/** @param heading - `##`, or as deep as it stands. */
export function sectionText({ title, text }: ReportPart, heading: string): string {
  return `${heading} ${title}\n\n${text}`;
}

/** How a run stands, what it cost, and what that took: one line. */
export function verdictLine(facts: RunFacts): string {
  const { status, reason, cycle, maxCycles, turns, lives, recovery, money } = facts;
  const isOver = status === "approved" || status === "abandoned";
  const cycles = isOver ? `after ${count(cycle, "cycle")}` : `in cycle ${cycle} of ${maxCycles}`;
  const worked = workedMs(facts);
  const told = [
    `**${standText(facts)}**${status === "damaged" ? "" : ` ${cycles}`}`,
    ...(status === "damaged" ? [] : [spentText(money), count(turns.length, "turn")]),
    ...(worked === undefined ? [] : [`${duration(worked)} of work`]),
    ...(lives.length > 1 || recovery.crashCount > 0 ? [crashWords(recovery)] : []),
  ].join(" · ");
  return reason === "" ? told : `${told}\n\nBecause: ${code(reason, 500)}`;
}

function spentText(money: RunFacts["money"]): string {
  return budget(money, money.maxUsd) + openTurnWords(money.reservedUsd);
}

function standText({ status, lives }: RunFacts): string {
  if (status !== "stopped") return `${status.slice(0, 1).toUpperCase()}${status.slice(1)}`;
  const { end = "" } = lives.at(-1) ?? {};
  const known = outcomeText(end);
  return known === end ? "Stopped" : `${known.slice(0, 1).toUpperCase()}${known.slice(1)}`;
}

/** Milliseconds in which a command worked on it; `undefined`: unknown. */
function workedMs({ lives }: RunFacts): number | undefined {
  const each = lives.map(({ startedAt, endedAt }) => Date.parse(endedAt) - Date.parse(startedAt));
  const known = each.filter((ms) => ms >= 0);
  return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
}

function reproduceText(
  { baseSha, headSha, coder, reviewer, forkedFrom }: RunFacts,
  next: readonly string[],
): string {
  const agents = [coder, reviewer].every((name) => name !== "")
    ? [`- coder ${code(coder, 40)}, reviewer ${code(reviewer, 40)}`]
    : [];
  const from = forkedFrom === "" ? [] : [`- forked from run ${code(forkedFrom, 60)}`];
  const commits =
    baseSha === "" ? [] : [`- from commit ${code(baseSha, 64)} to ${code(headSha, 64)}`];
  return [...agents, ...from, ...commits, ...next.map((line) => `- ${code(line, 500)}`)].join("\n");
}

export function footer({ redactionSet = "" }: ReportOptions): string {
  return redactionSet === ""
    ? ""
    : `Secrets are taken out: redaction set ${code(redactionSet, 40)}.`;
}
