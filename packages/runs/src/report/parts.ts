import type {
  CommitFacts,
  LifeFacts,
  MoneyFacts,
  RunFacts,
  ShareFacts,
  TurnFacts,
} from "../facts/run-facts.ts";
import { count, duration, money, timeText } from "../text/format.ts";
import { CHECK_LABELS, changesText, outcomeText } from "../words/events.ts";
import { FINDING_STATUSES, RECOVERED, shortId, TURN_ENDS } from "../words/states.ts";
import { code, fence, table, word } from "./inert.ts";

/** A section of a report: Markdown without its heading. */
export interface ReportPart {
  readonly title: string;
  readonly text: string;
}

/** How much of a run a report has. */
export interface ReportLimits {
  /** Rows of a table. */
  readonly rows: number;
  /** Characters of a text of many lines. */
  readonly text: number;
}

/** Columns of a line of another's text in a table. */
const CELL = 200;

/** What a run's work came to: its reviewer's words, its findings, its checks. Sections that would be empty are not there. */
export function workParts(facts: RunFacts, limits: ReportLimits): readonly ReportPart[] {
  return filled([
    ["Review", reviewText(facts, limits)],
    ["Findings", findingsText(facts, limits)],
    ["Checks", checksText(facts, limits)],
  ]);
}

/** What a run went through: its cost, its turns, its commits, its crashes. */
export function historyParts(facts: RunFacts, limits: ReportLimits): readonly ReportPart[] {
  return filled([
    ["Cost", costText(facts, limits)],
    ["Turns", turnsText(facts, limits)],
    ["Commits", commitsText(facts, limits)],
    ["Crashes and resumes", livesText(facts, limits)],
    ["Damage", listText(facts.problems, limits)],
  ]);
}

/** Those that say something. */
export function filled(
  parts: readonly (readonly [title: string, text: string])[],
): readonly ReportPart[] {
  return parts.filter(([, text]) => text !== "").map(([title, text]) => ({ title, text }));
}

function reviewText({ verdict }: RunFacts, limits: ReportLimits): string {
  if (verdict === undefined) return "";
  const { isApproved, satisfaction, risk, needsHumanReview, summary } = verdict;
  const said = [
    isApproved ? "approved" : "not approved",
    ...(satisfaction === "" ? [] : [`satisfaction ${word(satisfaction)}`]),
    ...(risk === "" ? [] : [`risk ${word(risk)}`]),
    ...(needsHumanReview ? ["a person should look at it"] : []),
  ].join(", ");
  return [`The reviewer: ${said}.`, ...(summary === "" ? [] : [fence(summary, limits.text)])].join(
    "\n\n",
  );
}

function findingsText({ findings }: RunFacts, limits: ReportLimits): string {
  return rowsText(
    ["severity", "finding", "cycle", "status (cycle)"],
    findings,
    limits,
    ({ severity, description, cycle, status, life }) => [
      word(severity),
      code(description, CELL),
      `${cycle}`,
      life.length > 1
        ? life.map((each) => `${FINDING_STATUSES[each.status]} (${each.cycle})`).join(", ")
        : FINDING_STATUSES[status],
    ],
  );
}

function checksText({ cycles }: RunFacts, limits: ReportLimits): string {
  const all = cycles.flatMap(({ cycle, checks }) => checks.map((check) => ({ cycle, ...check })));
  return rowsText(
    ["cycle", "kind", "check", "result"],
    all,
    limits,
    ({ cycle, check, name, isPassed }) => [
      `${cycle}`,
      CHECK_LABELS[check],
      code(name, CELL),
      isPassed ? "passed" : "**failed**",
    ],
  );
}

function costText({ money: spent }: RunFacts, limits: ReportLimits): string {
  const cycles = spent.byCycle.length > 1 ? spent.byCycle : [];
  const turnCount = spent.byRole.reduce((sum, each) => sum + each.turnCount, 0);
  const open = `The turn whose end is not known may have cost up to ${money(spent.reservedUsd)} more.`;
  const also = spent.reservedUsd > 0 ? [open] : [];
  return moneyText({ ...spent, turnCount }, [...spent.byRole, ...cycles], limits, also);
}

/**
 * What was spent, in all and of what.
 *
 * @param shares - Their names are Markdown.
 * @param also - A sentence for each thing that there is to say beside. @default nothing
 */
export function moneyText(
  all: MoneyFacts & Pick<ShareFacts, "turnCount">,
  shares: readonly ShareFacts[],
  limits: ReportLimits,
  also: readonly string[] = [],
): string {
  const row = ({ name, knownUsd, unknownUsd, turnCount }: ShareFacts): readonly string[] => [
    name,
    money(knownUsd),
    reserved(unknownUsd),
    `${turnCount}`,
  ];
  const shown = shares.slice(-limits.rows).map(row);
  const words = [
    all.maxUsd > 0 ? `The limit is ${money(all.maxUsd)}.` : "There is no limit.",
    ...also,
    ...(all.hasUnreportedCosts ? ["Some turns reported no cost."] : []),
  ];
  return [
    table(
      ["of", "known", "reserved at most", "turns"],
      [...shown, row({ ...all, name: "**all**" })],
    ),
    ...more(shares.length - shown.length),
    words.join(" "),
  ].join("\n\n");
}

/** An amount that is a reservation; `""`: none. */
export function reserved(usd: number): string {
  return usd > 0 ? money(usd) : "";
}

function turnsText({ turns }: RunFacts, limits: ReportLimits): string {
  const head = ["turn", "role", "cycle", "attempt", "end", "took", "known cost", "reserved"];
  return rowsText(head, turns, limits, (turn) => [
    turn.turnId === "" ? "earlier" : turnNumber(shortId(turn.turnId)),
    turn.role,
    `${turn.cycle}`,
    turn.attempt > 1 ? `${turn.attempt}` : "",
    endText(turn),
    turn.durationMs === undefined ? "" : duration(turn.durationMs),
    turn.status === "open" ? "" : money(turn.costUsd - turn.unknownUsd),
    reserved(turn.unknownUsd),
  ]);
}

function endText({ status, recoveries, denied }: TurnFacts): string {
  const told = [
    ...recoveries.map((how) => RECOVERED[how]),
    ...(denied.length === 0 ? [] : [`${count(denied.length, "action")} denied`]),
  ];
  return [TURN_ENDS[status], ...told].join("; ");
}

function commitsText({ commits }: RunFacts, limits: ReportLimits): string {
  return rowsText(["commit", "cycle", "by", "changes"], commits, limits, (commit) => [
    code(commit.sha.slice(0, 10), 10),
    `${commit.cycle}`,
    commit.by === "" ? "coder" : word(commit.by),
    sizeText(commit),
  ]);
}

/** How much a commit changes; `""`: unknown. */
export function sizeText({
  fileCount,
  added,
  removed,
}: Pick<CommitFacts, "fileCount" | "added" | "removed">): string {
  if (fileCount === undefined) return "";
  if (added === undefined || removed === undefined) return count(fileCount, "file");
  return changesText({ files: fileCount, added, removed });
}

function livesText({ lives, recovery }: RunFacts, limits: ReportLimits): string {
  if (lives.length < 2 && recovery.crashCount === 0) return "";
  const head = ["life", "began", "ended", "end", "found of the life before"];
  const told = rowsText(head, lives, limits, (life, n) => [
    `${n + 1}`,
    timeText(life.startedAt),
    timeText(life.endedAt),
    lifeEnd(life),
    foundText(life),
  ]);
  return [crashWords(recovery), told].join("\n\n");
}

/** `2 crashes, 0 turns paid for again`. */
export function crashWords({
  crashCount,
  boughtTwiceCount,
  boughtTwiceUsd,
}: RunFacts["recovery"]): string {
  const again = boughtTwiceCount === 0 ? "" : ` (${money(boughtTwiceUsd)})`;
  const crashes = `${crashCount} ${crashCount === 1 ? "crash" : "crashes"}`;
  const turns = `${boughtTwiceCount} ${boughtTwiceCount === 1 ? "turn" : "turns"}`;
  return `${crashes}, ${turns} paid for again${again}`;
}

function lifeEnd({ end, message }: LifeFacts): string {
  const known = outcomeText(end);
  const words = end === "killed" || end === "working" || known !== end ? known : word(end);
  return end === "approved" || message === "" ? words : `${words}: ${code(message, CELL)}`;
}

function foundText({ recovered }: LifeFacts): string {
  if (recovered === undefined) return "";
  return `turn ${turnNumber(shortId(recovered.turnId))} ${RECOVERED[recovered.how]}`;
}

/** A turn's number as it is, anything else as code. */
function turnNumber(id: string): string {
  return /^\d{1,9}$/u.test(id) ? id : code(id, 40);
}

/** A list of texts of others. */
export function listText(texts: readonly string[], { rows }: ReportLimits): string {
  const lines = texts.slice(0, rows).map((text) => `- ${code(text, 500)}`);
  return [lines.join("\n"), ...more(texts.length - rows)]
    .filter((each) => each !== "")
    .join("\n\n");
}

/** A table of the last rows; `""` without one. */
export function rowsText<T>(
  head: readonly string[],
  items: readonly T[],
  { rows }: ReportLimits,
  rowOf: (item: T, n: number) => readonly string[],
): string {
  if (items.length === 0) return "";
  const from = Math.max(0, items.length - rows);
  const shown = items.slice(from).map((item, n) => rowOf(item, from + n));
  return [table(head, shown), ...more(from)].join("\n\n");
}

function more(left: number): readonly string[] {
  return left > 0 ? [`${count(left, "earlier row")} left out.`] : [];
}
