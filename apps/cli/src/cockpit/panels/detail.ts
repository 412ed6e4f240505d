import type { PhaseFacts } from "@quasar/nebula/facts";
import type { RunFacts } from "@quasar/runs/facts";
import { cell, type Line, line, span } from "../model/line.ts";
import { fleetOf, type Shown, phaseOf, runOf } from "../model/shown.ts";
import { changeWords, fileLines } from "./diff.ts";
import { elsewhereLines, machineLines, silentLines } from "./elsewhere.ts";
import { eventsOf } from "./events.ts";
import { findingLine, ordered } from "./findings.ts";
import { saidBody } from "./said.ts";
import { windowOf, wrapped } from "./body.ts";

/** What matters most of what is selected, in so many rows; what its agents said fills them. */
export function detailLines(
  shown: Shown,
  selected: string,
  {
    columns,
    rows,
    scroll,
  }: { readonly columns: number; readonly rows: number; readonly scroll: number },
): readonly Line[] {
  const run = runOf(shown, selected);
  const facts = [
    ...headLines(shown, selected, columns),
    ...(run === undefined ? [] : runLines(run, shown, columns)),
  ].slice(0, rows);
  const left = rows - facts.length;
  if (left === 0) return facts;
  if (run === undefined) return [...facts, ...fleetLines(shown, selected, columns)].slice(0, rows);
  return [...facts, ...windowOf(saidBody(run, shown, columns), left, scroll)];
}

/** Of what is worked on elsewhere: what has happened, and where its agents and its change are. */
function fleetLines(shown: Shown, selected: string, columns: number): readonly Line[] {
  if (fleetOf(shown) === undefined) return [];
  const events = eventsOf(shown, selected).slice(0, MOST_EVENTS);
  return [
    ...events,
    ...elsewhereLines("diff", shown, selected, columns),
    ...elsewhereLines("turns", shown, selected, columns),
  ];
}

/** The same where findings and the change have a place of their own. */
export function aboutLines(shown: Shown, selected: string, columns: number): readonly Line[] {
  const run = runOf(shown, selected);
  const head = headLines(shown, selected, columns);
  if (run === undefined) return head;
  return [...head, ...verdictLines(run, columns), ...checkLines(run), ...reasonLines(run, columns)];
}

/** What is selected: a phase, or the beginning of a run's task, for which the first line of the screen may have no room. */
function headLines(shown: Shown, selected: string, columns: number): readonly Line[] {
  const phase = phaseOf(shown, selected);
  if (phase !== undefined) return phaseLines(phase, shown, columns);
  return shown.kind === "run" ? wrapped(shown.run.task, columns, "bold").slice(0, 2) : [];
}

function phaseLines(phase: PhaseFacts, shown: Shown, columns: number): readonly Line[] {
  const { title, reason, status } = phase;
  const need =
    shown.kind === "nebula"
      ? shown.nebula.needs.find((each) => each.phase === phase.id)
      : undefined;
  const why = need?.text ?? (status === "running" ? "" : reason);
  return [
    ...silentLines(shown, columns),
    ...(title === "" ? [] : [line(title, "bold")]),
    ...machineLines(phase),
    ...(why === "" ? [] : wrapped(why, columns, need === undefined ? undefined : "yellow", "  ")),
  ];
}

/** Most findings and files beside each other in a detail. */
const MOST = 4;

/** Most events in a detail. */
const MOST_EVENTS = 3;

function runLines(run: RunFacts, { change }: Shown, columns: number): readonly Line[] {
  const findings = ordered(run);
  const more = findings.length - MOST;
  return [
    ...verdictLines(run, columns),
    ...findings.slice(0, MOST).map(findingLine),
    ...(more > 0 ? [line(`${more} more findings: f`, "dim")] : []),
    ...checkLines(run),
    ...(change === undefined
      ? []
      : [line(`changes  ${changeWords(change)}`), ...fileLines(change).slice(0, MOST)]),
    ...reasonLines(run, columns),
  ];
}

function checkLines({ cycles }: RunFacts): readonly Line[] {
  return (cycles.at(-1)?.checks ?? []).map(({ check, name, isPassed }) => [
    cell(check === "lint" ? "lint" : "check", 9),
    cell(isPassed ? "ok" : "failed", 8, isPassed ? "green" : "red"),
    span(name),
  ]);
}

function reasonLines({ reason }: RunFacts, columns: number): readonly Line[] {
  return reason === "" ? [] : wrapped(reason, columns, "yellow", "  ");
}

function verdictLines({ verdict }: RunFacts, columns: number): readonly Line[] {
  if (verdict === undefined) return [];
  const { isApproved, satisfaction, risk, needsHumanReview, summary } = verdict;
  const words = [
    ...(satisfaction === "" ? [] : [`satisfaction ${satisfaction}`]),
    ...(risk === "" ? [] : [`risk ${risk}`]),
    ...(needsHumanReview ? ["asks for a person's review"] : []),
  ];
  return [
    [
      span("reviewer: "),
      span(isApproved ? "approved" : "not approved", isApproved ? "green" : "yellow"),
      span(words.length === 0 ? "" : `, ${words.join(", ")}`),
    ],
    ...(summary === "" ? [] : wrapped(summary, columns, "dim", "  ").slice(0, 2)),
  ];
}
