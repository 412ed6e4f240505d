import type { FindingFacts, RunFacts } from "@quasar/runs/facts";
import { FINDING_STATUSES } from "@quasar/runs/words";
import { checkOf } from "../../shared/output/check-output.ts";
import type { Style } from "../../shared/output/text.ts";
import { cell, type Line, line, lineWidth, span } from "../model/line.ts";
import { type Body, bodyOf, wrapped } from "./body.ts";

/** Every finding in full, the open ones first, each with the cycles in which it changed. */
export function findingsBody(run: RunFacts | undefined, columns: number): Body {
  const findings = ordered(run);
  if (findings.length === 0) return bodyOf([line("no findings")]);
  return bodyOf(
    findings.flatMap((finding) => [...wordLines(finding, columns), ...lifeLines(finding)]),
  );
}

/** In one line where there is room, else in full under it. */
function wordLines(finding: FindingFacts, columns: number): readonly Line[] {
  const whole = findingLine(finding);
  if (lineWidth(whole) <= columns) return [whole];
  const parts = wrapped(wordsOf(finding), columns - 4);
  return [whole.slice(0, -1), ...parts.slice(0, MOST_LINES).map((part) => [span("    "), ...part])];
}

const MOST_LINES = 8;

function lifeLines({ life }: FindingFacts): readonly Line[] {
  if (life.length < 2) return [];
  const words = life.map(({ cycle, status }) => `${FINDING_STATUSES[status]} in cycle ${cycle}`);
  return [line(`    ${words.join(", ")}`, "dim")];
}

/** The findings of a run, the open ones first. */
export function ordered(run: RunFacts | undefined): readonly FindingFacts[] {
  const all = run?.findings ?? [];
  const isFixed = ({ status }: FindingFacts): boolean => status === "fixed";
  return [...all.filter((one) => !isFixed(one)), ...all.filter(isFixed)];
}

/** A finding in one line. */
export function findingLine(finding: FindingFacts): Line {
  const { severity, status, id, cycle } = finding;
  return [
    cell(severity, 9, status === "fixed" ? undefined : SEVERITIES[severity.toLowerCase()]),
    cell(FINDING_STATUSES[status], 14, status === "fixed" ? "green" : "yellow"),
    cell(id.slice(0, 6), 7, "dim"),
    cell(`cyc ${cycle}`, 6, "dim"),
    span(" "),
    span(wordsOf(finding)),
  ];
}

function wordsOf({ description }: FindingFacts): string {
  const failed = checkOf(description);
  return failed === undefined ? description : `${failed.check} failed`;
}

const SEVERITIES: Readonly<Record<string, Style>> = {
  critical: "red",
  major: "red",
  minor: "yellow",
};
