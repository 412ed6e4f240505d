import {
  bounded,
  code,
  crashWords,
  filled,
  footer,
  listText,
  moneyText,
  type ReportLimits,
  type ReportOptions,
  reserved,
  rowsText,
  sectionText,
  word,
} from "@quasar/runs/report";
import type { LifeFacts } from "@quasar/runs/facts";
import { budget, count, money } from "@quasar/runs/text";
import { FINDING_STATUSES, landedWords, outcomeText, timeText } from "@quasar/runs/words";
import { DECIDED, lifeWords, VERIFIED } from "../facts/event-words.ts";
import type {
  DecisionFacts,
  LandingFacts,
  NebulaFacts,
  NeedFacts,
  PhaseFacts,
} from "../facts/nebula-facts.ts";
import { reasonOf } from "../facts/standing.ts";

/**
 * A nebula as GitHub-flavoured Markdown of at most 60,000 characters; it names what it leaves out. All text of agents, of
 * people and of the repository stands in code, in which nothing acts.
 *
 * @param facts - Without secrets.
 * @returns The same for the same facts and options; it ends with a line feed.
 */
export function nebulaMarkdown(facts: NebulaFacts, options: ReportOptions = {}): string {
  return bounded((limits) => rendered(facts, options, limits));
}

/** How a nebula stands, what it cost and what that took: one line. */
export function nebulaVerdictLine(facts: NebulaFacts): string {
  const { status, branch, money: spent, lives, recovery } = facts;
  const turns = facts.phases.flatMap(({ runs }) => runs).flatMap((run) => run.turns);
  return [
    `**${STATUSES[status]}**`,
    landedWords(facts, code(branch, 100)),
    // The runs of a fleet are on its machines.
    ...(isOverFleet(facts) ? [] : [budget(spent, spent.maxUsd), count(turns.length, "turn")]),
    ...(lives.length > 1 || recovery.crashCount > 0 ? [crashWords(recovery)] : []),
  ].join(" · ");
}

function isOverFleet({ fleet }: NebulaFacts): boolean {
  return fleet !== undefined;
}

const STATUSES = {
  working: "Working",
  paused: "Paused",
  stopped: "Stopped",
  done: "Done",
} as const satisfies Record<NebulaFacts["status"], string>;

function rendered(facts: NebulaFacts, options: ReportOptions, limits: ReportLimits): string {
  const parts = filled([
    ["What needs a person", needsText(facts, limits)],
    ["Phases", phasesText(facts, limits)],
    ["Landings", landingsText(facts, limits)],
    ["Cost", isOverFleet(facts) ? "" : costText(facts, limits)],
    ["Findings", findingsText(facts, limits)],
    ["Decisions", decisionsText(facts, limits)],
    ["Crashes and resumes", livesText(facts, limits)],
    ["Damage", listText(problemsOf(facts), limits)],
    ["How to reproduce", reproduceText(facts, options.next ?? [])],
  ]);
  return [
    `## Nebula ${code(facts.name, 60)} (${code(facts.id, 20)})`,
    nebulaVerdictLine(facts),
    ...parts.map((part) => sectionText(part, "###")),
    footer(options),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

/** What a person is asked to do, before why. */
const NEEDS: Readonly<Record<NeedFacts["kind"], string>> = {
  plan: "the plan: approve or reject it",
  land: "its change: approve or reject it",
  rework: "it cannot land: retry or skip it",
  agent: "its agent asks",
  failed: "it failed: retry it",
  budget: "its limit is too small: raise it",
};

function needsText({ needs }: NebulaFacts, limits: ReportLimits): string {
  const shown = needs.slice(0, limits.rows).map(({ kind, phase, text }) => {
    const who = phase === "" ? "" : `${code(phase, 40)}: `;
    return `- ${who}${NEEDS[kind]}${text === "" ? "" : ` (${code(text, 300)})`}`;
  });
  const left = needs.length - shown.length;
  return [...shown, ...(left > 0 ? [`- ${left} more`] : [])].join("\n");
}

function phasesText(facts: NebulaFacts, limits: ReportLimits): string {
  if (isOverFleet(facts)) return fleetPhasesText(facts, limits);
  const row = (phase: PhaseFacts): readonly string[] => [
    code(phase.id, 40),
    code(phase.title, 60),
    phase.standing,
    `${phase.attempt}`,
    money(phase.money.knownUsd),
    reserved(phase.money.unknownUsd),
    code(phase.landedSha.slice(0, 10), 10),
    code(whyOf(phase, facts), 200),
  ];
  const head = ["phase", "title", "status", "attempt", "known cost", "reserved", "landed", "why"];
  return rowsText(head, facts.phases, limits, row);
}

function fleetPhasesText(facts: NebulaFacts, limits: ReportLimits): string {
  const row = (phase: PhaseFacts): readonly string[] => [
    code(phase.id, 40),
    phase.standing,
    `${phase.attempt}`,
    (phase.machines ?? []).map((machine) => code(machine, 40)).join(", "),
    code(phase.landedSha.slice(0, 10), 10),
    code(whyOf(phase, facts), 200),
  ];
  const head = ["phase", "status", "attempt", "machine", "landed", "why"];
  return rowsText(head, facts.phases, limits, row);
}

function whyOf(phase: PhaseFacts, facts: NebulaFacts): string {
  const shortage = facts.shortages.find((short) => short.phase === phase.id);
  return reasonOf(phase, facts, { shortage, moment: timeText });
}

function landingsText({ landings, fleet }: NebulaFacts, limits: ReportLimits): string {
  const row = (landing: LandingFacts): readonly string[] => [
    `${landing.number}`,
    code(landing.phase, 40),
    code(landing.sha.slice(0, 10), 10),
    code(landing.tree.slice(0, 10), 10),
    verifiedText(landing, fleet !== undefined),
  ];
  const head = ["landing", "phase", "commit", "tree", "verification"];
  return rowsText(head, landings, limits, row);
}

/** @param isOverFleet - Whether events may be kept no more. */
function verifiedText(
  { verifications, isVerifiedTree, isVerified }: LandingFacts,
  isOverFleet: boolean,
): string {
  const last = verifications.at(-1);
  if (last === undefined && isOverFleet && isVerified) return "verified";
  if (last === undefined || isVerifiedTree === undefined) return "not verified";
  return isVerifiedTree ? `${VERIFIED[last.outcome]}: this tree` : "**another tree was verified**";
}

function costText({ money: spent }: NebulaFacts, limits: ReportLimits): string {
  const { byRole, byCycle, byPhase, reservedUsd } = spent;
  const phases = byPhase.map((share) => ({ ...share, name: code(share.name, 40) }));
  const turnCount = byPhase.reduce((sum, each) => sum + each.turnCount, 0);
  const apart = `${money(reservedUsd)} more is set apart for phases at work.`;
  const also = reservedUsd > 0 ? [apart] : [];
  return moneyText({ ...spent, turnCount }, [...byRole, ...byCycle, ...phases], limits, also);
}

function findingsText({ phases }: NebulaFacts, limits: ReportLimits): string {
  const found = phases.flatMap(({ id, runs }) =>
    runs.flatMap((run) => run.findings.map((finding) => ({ ...finding, phase: id }))),
  );
  const row = (finding: (typeof found)[number]): readonly string[] => [
    code(finding.phase, 40),
    word(finding.severity),
    code(finding.description, 200),
    `${finding.cycle}`,
    FINDING_STATUSES[finding.status],
  ];
  return rowsText(["phase", "severity", "finding", "cycle", "status"], found, limits, row);
}

function decisionsText({ decisions }: NebulaFacts, limits: ReportLimits): string {
  const row = ({ at, phase, verb, reason }: DecisionFacts): readonly string[] => [
    timeText(at),
    phase === "" ? "the plan" : code(phase, 40),
    DECIDED[verb],
    code(reason, 200),
  ];
  return rowsText(["time", "of", "decision", "why"], decisions, limits, row);
}

function livesText({ lives, recovery }: NebulaFacts, limits: ReportLimits): string {
  if (lives.length < 2 && recovery.crashCount === 0) return "";
  const row = ({ startedAt, endedAt, end, message }: LifeFacts): readonly string[] => {
    const words = lifeWords(end) ?? outcomeText(end);
    const ended = message === "" ? words : `${words}: ${code(message, 200)}`;
    return [timeText(startedAt), timeText(endedAt), ended];
  };
  const head = ["engine began", "ended", "end"];
  return [crashWords(recovery), rowsText(head, lives, limits, row)].join("\n\n");
}

/** Damage of the nebula's own files, then of its runs'. */
function problemsOf({ problems, phases }: NebulaFacts): readonly string[] {
  const ofRuns = phases
    .flatMap(({ runs }) => runs)
    .flatMap((run) => run.problems.map((problem) => `run ${run.id}: ${problem}`));
  return [...problems, ...ofRuns];
}

function reproduceText({ baseSha, tipSha }: NebulaFacts, next: readonly string[]): string {
  const commits = `- from commit ${code(baseSha, 64)} to ${code(tipSha, 64)}`;
  return [commits, ...next.map((line) => `- ${code(line, 500)}`)].join("\n");
}
