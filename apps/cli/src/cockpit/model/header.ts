import type { NebulaFacts } from "@quasar/nebula/facts";
import type { RunFacts } from "@quasar/runs/facts";
import { clock, dayAndTime } from "@quasar/runs/internal";
import { cleanLine, firstLine, fit, money } from "@quasar/runs/text";
import type { Style } from "../../shared/output/text.ts";
import { limitedWords } from "./limited.ts";
import { type Line, line, lineWidth, type Span, span, spread } from "./line.ts";
import { type FleetShown, type Shown, turnOf } from "./shown.ts";

/** The first line: who needs me, is the money all right, is it alive. */
export function headerLine(shown: Shown, now: number, columns: number): Line {
  return headLine([span(" quasar  ", "bold")], headOf(shown, now), columns - 1);
}

/** The whole screen where there is no room for more. */
export function statusLine(shown: Shown, now: number, columns: number): Line {
  return headLine([], headOf(shown, now), columns);
}

interface Head {
  /** What is cut first where there is no room. */
  readonly name: string;
  /** Of it. */
  readonly state: readonly Span[];
  /** The same where there is no room: who needs me comes first. */
  readonly brief: readonly Span[];
  /** The first to give way where there is no room. */
  readonly more: Span;
  readonly money: Span;
  /** How long it has worked, and whether it does. */
  readonly life: readonly [Span, Span];
}

const SHORTEST_NAME = 8;

/** What of a head stands left and right of the room between. */
interface Parts {
  readonly state: Line;
  readonly right: Line;
}

function headLine(before: Line, head: Head, columns: number): Line {
  const { name, state: whole, brief, more, money: spent, life } = head;
  const roomIn = ({ state, right }: Parts): number =>
    columns - lineWidth([...before, ...state, ...right]) - 3;
  const least: Parts = { state: brief, right: [] };
  const parts = [
    { state: whole, right: [spent, more, ...life] },
    { state: whole, right: [spent, ...life] },
    { state: brief, right: [spent, ...life] },
    { state: brief, right: [spent, span("  "), ...life.slice(1)] },
    { state: brief, right: [spent] },
  ].find((each) => roomIn(each) >= Math.min(SHORTEST_NAME, name.length));
  const { state, right } = parts ?? least;
  const cut = fit(cleanLine(name), Math.max(SHORTEST_NAME, roomIn({ state, right })));
  return spread([...before, span(cut), span("  "), ...state, span(" ")], right, columns);
}

function headOf(shown: Shown, now: number): Head {
  if (shown.kind === "run") return runHead(shown.run, now);
  const head = nebulaHead(shown.nebula, now);
  return shown.fleet === undefined ? head : overFleet(head, shown.fleet);
}

/** What a nebula costs is known on the machines that work on it. */
function overFleet(head: Head, { silent }: FleetShown): Head {
  const [elapsed, state] = head.life;
  const time = silent && (dayAndTime(silent.since)?.time ?? "");
  const said = silent === undefined ? state : span(`no contact since ${time}`, "red");
  return { ...head, money: span(""), more: span(""), life: [elapsed, said] };
}

function nebulaHead(nebula: NebulaFacts, now: number): Head {
  const { name, landedCount, unchangedCount, phaseCount, needs, phases, status } = nebula;
  const isAlive = status === "working";
  const landed = landedCount - unchangedCount;
  return {
    name: `nebula ${name}`,
    state: [span(`${landed}/${phaseCount} landed  `), ...needSpans(needs.length)],
    brief: [...needSpans(needs.length), span(`  ${landed}/${phaseCount}`)],
    money: moneySpan(nebula.money),
    more: reservedSpan(nebula.money),
    life: [
      span(`  ${elapsed(nebula, isAlive, now)}  `),
      isAlive ? atWorkSpan(phases, now) : stateSpan(status),
    ],
  };
}

/** How many work; where none does, until when their agents are limited. */
function atWorkSpan(phases: NebulaFacts["phases"], now: number): Span {
  const working = phases.filter(({ isWorkedOn }) => isWorkedOn).length;
  const [first] = phases.flatMap(({ retryAt }) => (retryAt === "" ? [] : [retryAt])).toSorted();
  if (working > 0) return span(`${working} at work`, "cyan");
  if (first === undefined) return span("0 at work");
  return span(limitedWords(first, now), "yellow");
}

function needSpans(count: number): readonly Span[] {
  if (count === 0) return [];
  return [span(count === 1 ? "! 1 needs you" : `! ${count} need you`, "yellow")];
}

function runHead(run: RunFacts, now: number): Head {
  const { task, cycle, maxCycles, status } = run;
  const turn = turnOf(run);
  const isAlive = status === "running";
  return {
    name: firstLine(task),
    state: line(`cycle ${cycle} of ${maxCycles}`),
    brief: line(`cycle ${cycle}`),
    money: moneySpan(run.money),
    more: reservedSpan(run.money),
    life: [
      span(`  ${elapsed(run, isAlive, now)}  `),
      isAlive
        ? span(turn?.status === "open" ? `${turn.role} at work` : "at work", "cyan")
        : stateSpan(status),
    ],
  };
}

const STATES: Readonly<Record<string, Style>> = {
  done: "green",
  approved: "green",
  paused: "yellow",
  stopped: "yellow",
  interrupted: "yellow",
  damaged: "red",
};

function stateSpan(status: string): Span {
  return span(status, STATES[status]);
}

/** It stands still where nothing works. */
function elapsed(
  { startedAt, lastAt }: { readonly startedAt: string; readonly lastAt: string },
  isAlive: boolean,
  now: number,
): string {
  const ms = (isAlive ? now : Date.parse(lastAt)) - Date.parse(startedAt);
  return Number.isNaN(ms) ? "-" : clock(Math.max(0, ms));
}

/** From this share of the limit on it is marked. */
const HIGH = 0.9;

/** What is known to have been spent, against the limit; red by what was spent at most. */
function moneySpan({ spentUsd, knownUsd, maxUsd }: RunFacts["money"]): Span {
  const limit = maxUsd > 0 ? ` of ${money(maxUsd)}` : "";
  const isHigh = maxUsd > 0 && spentUsd >= HIGH * maxUsd;
  return span(`${money(knownUsd)}${limit}`, isHigh ? "red" : undefined);
}

/** What may have been spent beyond that, and what is set apart for turns under way. */
function reservedSpan({ unknownUsd, reservedUsd, hasUnreportedCosts }: RunFacts["money"]): Span {
  const isThere = (usd: number): boolean => usd >= 0.005;
  const said = [
    ...(isThere(unknownUsd) ? [`up to ${money(unknownUsd)} more`] : []),
    ...(hasUnreportedCosts ? ["some turns reported no cost"] : []),
    ...(isThere(reservedUsd) ? [`${money(reservedUsd)} reserved`] : []),
  ];
  return span(said.length === 0 ? "" : ` (${said.join(", ")})`);
}
