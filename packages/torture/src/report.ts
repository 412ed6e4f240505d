import { formatKill } from "./kill.ts";
import { parseStep, STEP_KINDS, type StepKind } from "./step.ts";
import type { Part, Tortured } from "./torture.ts";
import type { Deviation, Trial } from "./trial.ts";
import type { KillKind } from "./watcher.ts";

/** What a group of trials came to. */
export interface ReportRow {
  readonly kill: KillKind;
  /** Of the first kill; `moment` for kills by the clock. */
  readonly at: StepKind | "moment";
  readonly trials: number;
  /** How many trials broke each law. */
  readonly broken: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** A torture's outcome as plain data: for a file. */
export interface TortureReport {
  readonly v: 1;
  /** What was tortured. */
  readonly subject: string;
  /** RFC 3339. */
  readonly date: string;
  readonly node: string;
  readonly seed: number;
  /** The share of the steps of lesser kinds that was killed at. */
  readonly share: number;
  /** The part of the steps that was killed at; the rest is for the other parts. */
  readonly part: Part;
  /** The share of second kills that was tried. */
  readonly pairs: number;
  /** How many steps of each kind the undisturbed run has. */
  readonly points: Readonly<Record<string, number>>;
  readonly trials: number;
  /** Kills that were not made because they cannot differ from one that was. */
  readonly alike: number;
  /** Kills that were planned and not made, because it was interrupted. */
  readonly left: number;
  /** Names of the promises that were checked. */
  readonly laws: readonly string[];
  readonly rows: readonly ReportRow[];
  readonly failures: readonly {
    readonly kills: readonly string[];
    readonly deviations: readonly Deviation[];
    /** Folder of the trial, where it was kept. */
    readonly root: string;
  }[];
  readonly seconds: number;
}

export interface ReportOptions {
  readonly subject: string;
  /** Laws that get a column even if nothing breaks them. @default those that were broken */
  readonly laws?: readonly string[] | undefined;
  readonly date: Date;
  readonly seed?: number | undefined;
  readonly share?: number | undefined;
  readonly part?: Part | undefined;
  readonly pairs?: number | undefined;
}

/** Sums up a torture. */
export function reportOf(
  { whole, trials, alike, left, ms }: Tortured,
  options: ReportOptions,
): TortureReport {
  const { subject, date, seed = 1, share = 1, pairs = 0, laws = [] } = options;
  const { part = { number: 1, of: 1 } } = options;
  const steps = whole.lives.flatMap(({ steps: all }) => all.map(kindOf));
  const groups = Map.groupBy(trials, ({ kills: [kill] }) =>
    [kill?.kind ?? "runner", kill?.step === undefined ? "moment" : kindOf(kill.step)].join(" "),
  );
  const rows = [...groups].map(([name, group]) => rowOf(name, group)).toSorted(inOrder);
  const broken = trials.flatMap(({ deviations }) => deviations.map(({ law }) => law));
  return {
    v: 1,
    subject,
    date: date.toISOString(),
    node: process.version,
    seed,
    share,
    part,
    pairs,
    points: Object.fromEntries(
      STEP_KINDS.map((kind) => [kind, steps.filter((each) => each === kind).length]),
    ),
    trials: trials.length,
    alike,
    left,
    laws: [...new Set([...laws, ...broken])],
    rows,
    failures: trials
      .filter(({ deviations }) => deviations.length > 0)
      .map(({ kills, deviations, root }) => ({ kills: kills.map(formatKill), deviations, root })),
    seconds: Math.round(ms / 100) / 10,
  };
}

function kindOf(step: string): StepKind | "moment" {
  return parseStep(step)?.kind ?? "moment";
}

function rowOf(name: string, trials: readonly Trial[]): ReportRow {
  const [kill, at] = name.split(" ") as [KillKind, ReportRow["at"]];
  const broken: Record<string, number> = {};
  for (const { deviations } of trials) {
    for (const law of new Set(deviations.map(({ law }) => law))) {
      broken[law] = (broken[law] ?? 0) + 1;
    }
  }
  const ms = trials.reduce((sum, trial) => sum + trial.ms, 0);
  return { kill, at, trials: trials.length, broken, seconds: Math.round(ms / 100) / 10 };
}

function inOrder(a: ReportRow, b: ReportRow): number {
  const place = ({ at }: ReportRow): number => (at === "moment" ? -1 : STEP_KINDS.indexOf(at));
  return b.kill.localeCompare(a.kill) || place(a) - place(b);
}

/** A report's table, for people: Markdown, aligned. */
export function tableOf({ rows, laws }: TortureReport): readonly string[] {
  const head = ["kill", "at", "runs", ...laws, "seconds"];
  const cells = (row: Omit<ReportRow, "kill" | "at">): readonly string[] => [
    String(row.trials),
    ...laws.map((law) => String(row.broken[law] ?? 0)),
    row.seconds.toFixed(1),
  ];
  const sum = (of: (row: ReportRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  const all = {
    trials: sum(({ trials }) => trials),
    broken: Object.fromEntries(laws.map((law) => [law, sum(({ broken }) => broken[law] ?? 0)])),
    seconds: sum(({ seconds }) => seconds),
  };
  const body = [
    ...rows.map((row) => [row.kill, row.at, ...cells(row)]),
    ["all", "", ...cells(all)],
  ];
  const widths = head.map((name, at) =>
    Math.max(name.length, ...body.map((cell) => cell[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, at) =>
    at < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...body.map(line)];
}
