import { findingId } from "@quasar/checkpoint";
import type { Finding } from "./finding.ts";
import type { ReportedFinding, Verification } from "./review.ts";
import type { CycleState } from "../state.ts";
import { truncate } from "../text.ts";

const FILTER_OUTPUT = 3000;

const TIME = String.raw`\d+(?:[.,]\d+)?\s?(?:[nµu]?s|ms|secs?|seconds?|m|mins?|minutes?|h|hours?)`;

/** How long something took, as tests tell it: `0.002s`, `12 ms`, `1m 3s`. */
const DURATION = new RegExp(String.raw`\b${TIME}(?:\s?${TIME})*(?![\p{L}\p{N}_])`, "gu");

/** What a failed filter says, as a finding; the same, by its id, however long it took. */
export function filterFinding(name: string, output: string, cycle: number): Finding {
  const severity = "critical";
  const described = (said: string) => `[filter:${name}] ${truncate(said, FILTER_OUTPUT)}`;
  const description = described(output);
  const id = findingId(severity, described(output.replace(DURATION, "0s")));
  return { id, severity, description, cycle, status: "found" };
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
