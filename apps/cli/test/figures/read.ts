import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { frameOf } from "../../src/cockpit/model/frame.ts";
import { painted } from "../../src/cockpit/model/paint.ts";
import type { Shown } from "../../src/cockpit/model/shown.ts";
import { FRESH, type Ui } from "../../src/cockpit/model/ui.ts";
import { lastRecord, type Place, quasar } from "../harness.ts";

/** A line of `--json`, or what a tool answers. */
export type Facts = Readonly<Record<string, unknown>>;

/** An object that a line holds. */
export function factsIn(value: unknown): Facts {
  return typeof value === "object" && value !== null ? (value as Facts) : {};
}

/** Objects that a line holds in a list. */
export function listIn(value: unknown): readonly Facts[] {
  expect(Array.isArray(value)).toBe(true);
  return (value as readonly unknown[]).map(factsIn);
}

/** US dollars as screens show them. */
export function cents(usd: unknown): number {
  return Math.round(Number(usd) * 100) / 100;
}

/** How many findings are fixed, and how many are not. */
export function findingCounts(findings: unknown): {
  readonly openCount: number;
  readonly fixedCount: number;
} {
  const fixed = listIn(findings).filter(({ status }) => status === "fixed");
  return { openCount: listIn(findings).length - fixed.length, fixedCount: fixed.length };
}

/** The line that a command prints with `--json`. */
export async function lineOf(at: Place, ...args: readonly string[]): Promise<Facts> {
  const done = await quasar(at, [...args, "--json"]);
  expect(done.code, done.stderr).toBe(0);
  return lastRecord(done);
}

/** The report of a run or a nebula as Markdown. */
export async function markdownOf(at: Place, id: string): Promise<string> {
  const { code, stdout, stderr } = await quasar(at, ["report", id]);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** The data that the page of a run or a nebula shows. */
export async function pageOf(at: Place, id: string): Promise<Facts> {
  const path = join(at.outside, `${id}.html`);
  const { code, stderr } = await quasar(at, ["report", id, "--html", path]);
  expect(code, stderr).toBe(0);
  const [, json = ""] = /id="report-data">(.*)<\/script>/u.exec(readFileSync(path, "utf8")) ?? [];
  return factsIn(factsIn(JSON.parse(json))["data"]);
}

/** What the cockpit shows on a wide terminal. */
export function screenOf(facts: Pick<Shown, "kind">, ui: Partial<Ui> = {}): string {
  const shown = { ...facts, said: new Map(), change: undefined } as unknown as Shown;
  const size = { columns: 160, rows: 60 };
  const options = {
    size,
    ui: { ...FRESH, ...ui },
    now: Date.now(),
    canDecide: true,
    ownsWork: false,
  };
  const plain = { hasColour: false, isAscii: false };
  return frameOf(shown, options)
    .lines.map((line) => painted(line, plain))
    .join("\n");
}

/** What of a screen or a report is where it is said to be. */
export function found(text: string, pattern: RegExp): readonly string[] {
  const match = pattern.exec(text);
  expect(match, `${String(pattern)} in\n${text}`).not.toBeNull();
  return (match?.slice(1) ?? []).map((part: string | undefined) => part ?? "");
}

/** A number in words: `no`, or its digits; nothing stands for 0. */
export function numberIn(text: string): number {
  return text === "no" || text === "" ? 0 : Number(text);
}

/** How often something is in a text. */
export function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** US dollars in a screen. */
export const USD = String.raw`\$([\d.]+)`;

/** What was spent, in US dollars to the cent. */
export interface MoneyFigures {
  readonly knownUsd: number;
  readonly unknownUsd: number;
  /** Set apart beyond that. */
  readonly reservedUsd: number;
  /** 0: no limit. */
  readonly maxUsd: number;
}

/** In a line of `--json`, or in facts. */
export function moneyIn(facts: Facts): MoneyFigures {
  const { knownUsd, unknownUsd, reservedUsd, maxUsd = facts["maxBudgetUsd"] } = facts;
  return {
    ...{ knownUsd: cents(knownUsd), unknownUsd: cents(unknownUsd) },
    ...{ reservedUsd: cents(reservedUsd), maxUsd: cents(maxUsd) },
  };
}

/** In words: `$0.40 known, up to $0.33 more, of $2.00`. */
export function spentIn(words: string): Omit<MoneyFigures, "reservedUsd"> {
  const pattern = new RegExp(`${USD}(?: known, up to ${USD} more)?,? (?:of ${USD}|no limit)`, "u");
  const [knownUsd, unknownUsd = "", maxUsd = ""] = found(words, pattern);
  return {
    knownUsd: cents(knownUsd),
    ...{ unknownUsd: cents(numberIn(unknownUsd)), maxUsd: cents(numberIn(maxUsd)) },
  };
}

/** The most that an open turn may have cost. */
export function mostOf(openTurn: Facts): number {
  const { reservedUsd = 0, allowanceUsd = 0 } = openTurn;
  return Math.max(Number(reservedUsd), Number(allowanceUsd));
}

/** The cells of the rows of a table in a section of a report. */
export function tableOf(text: string, title: string): readonly (readonly string[])[] {
  const [, section = ""] = text.split(`\n### ${title}\n`);
  const [own = ""] = section.split("\n### ");
  return [...own.matchAll(/^\| (.*) \|$/gmu)]
    .slice(2)
    .map(([, cells = ""]) => cells.split(" | ").map((cell) => cell.trim()));
}

/** How many findings the cockpit's panel shows. */
export function countsIn(screen: string): ReturnType<typeof findingCounts> {
  const all = countOf(screen, /^ (?:critical|major|minor) +\w/gmu);
  const fixedCount = countOf(screen, /^ (?:critical|major|minor) +fixed /gmu);
  return { openCount: all - fixedCount, fixedCount };
}
