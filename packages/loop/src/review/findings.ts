import { findingId } from "@quasar/checkpoint";
import { excerpt } from "../checks/excerpt.ts";
import type { Finding } from "./finding.ts";
import type { ReportedFinding, Verification } from "./review.ts";
import type { CycleState } from "../state.ts";

const FILTER_OUTPUT = 3000;

const TIME = String.raw`\d+(?:[.,]\d+)?\s?(?:[nµu]?s|ms|secs?|seconds?|m|mins?|minutes?|h|hours?)`;

/**
 * What of a check's output is another each time that it runs: how long it took (`0.002s`, `1m 3s`, `duration_ms 3.1`),
 * when that was, its processes and its temporary files; and that npm is old.
 */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/^npm notice.*(?:\n|$)/gmu, ""],
  [
    /(?<![\w:.])(?:\d{4}-\d\d-\d\d[T ])?\d\d?:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?![\w:])/gu,
    "0",
  ],
  [new RegExp(String.raw`\b${TIME}(?:\s?${TIME})*(?![\p{L}\p{N}_])`, "gu"), "0s"],
  [
    /((?:duration|elapsed)(?:_?m?s)?["']?\s*[:=]?\s*|\btime["']?\s*[:=]\s*)\d+(?:[.,]\d+)?/giu,
    "$10",
  ],
  [/(\((?:node|python|\w*worker):|\b(?:pid|process)\b["']?\s*[:=#]?\s*)\d+/giu, "$10"],
  [/(\/tmp\/|\/var\/folders\/\S{1,99}?\/T\/)[^\s:"'`)/]+/gu, "$10"],
];

/** What a failed filter says, as a finding; the same, by its id, when the same fails again. */
export function filterFinding(name: string, output: string, cycle: number): Finding {
  const severity = "critical";
  const described = (said: string) => `[filter:${name}] ${excerpt(said, FILTER_OUTPUT)}`;
  const description = described(output);
  const lasting = CHANGING.reduce((said, [each, instead]) => said.replace(each, instead), output);
  return {
    id: findingId(severity, described(lasting)),
    severity,
    description,
    cycle,
    status: "found",
  };
}

/** Findings of a review as those of a cycle. */
export function tagFindings(
  reported: readonly ReportedFinding[],
  cycle: number,
): readonly Finding[] {
  return reported.map((finding) => ({ ...finding, cycle, status: "found" }));
}

/** The statuses after a review: every finding with a verified id gets what the reviewer said last. */
export function applyVerifications(
  findings: readonly Finding[],
  verifications: readonly Verification[],
): readonly Finding[] {
  const statuses = new Map(verifications.map((each) => [each.findingId, each.status]));
  return findings.map((finding) => {
    const status = statuses.get(finding.id);
    return status === undefined ? finding : { ...finding, status };
  });
}

/** Adds a cycle's findings to those of the earlier ones; doing it twice changes nothing. */
export function accumulate(
  all: readonly Finding[],
  ofCycle: readonly Finding[],
): readonly Finding[] {
  const known = new Set(all.map(keyOf));
  return [...all, ...ofCycle.filter((finding) => !known.has(keyOf(finding)))];
}

function keyOf({ id, cycle }: Finding): string {
  return `${cycle} ${id}`;
}

/**
 * What the coder is to fix now: the findings of the last review, and the older ones that it said
 * are still there. Each id once.
 */
export function openFindings(state: CycleState): readonly Finding[] {
  const open = new Map<string, Finding>();
  const older = state.allFindings.filter(
    ({ status }) => status === "still_present" || status === "regressed",
  );
  for (const finding of [...state.findings, ...older]) {
    if (finding.status !== "fixed" && !open.has(finding.id)) open.set(finding.id, finding);
  }
  return [...open.values()];
}
