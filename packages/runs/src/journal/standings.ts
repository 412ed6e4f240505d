import type { CheckpointFinding, FindingStatus } from "@quasar/checkpoint";
import type { Fact } from "./fact.ts";

/** How a finding stood when a cycle ended. */
export type Standing = Pick<CheckpointFinding, "id" | "cycle" | "status">;

/** By finding: its status. */
export type Standings = ReadonlyMap<string, FindingStatus>;

const STATUSES: ReadonlySet<unknown> = new Set<FindingStatus>([
  "found",
  "fixed",
  "still_present",
  "regressed",
]);

/** Names a finding among all of its run. */
export function nameOf({ id, cycle }: Pick<Standing, "id" | "cycle">): string {
  return `${cycle} ${id}`;
}

/**
 * How findings stood after what a journal holds, as far as it says so. Each review says what it has changed
 * (`changed`); those of before said how all of them stood (`all`).
 *
 * @param until - The last cycle that counts. @default all
 */
export function standingsOf(facts: readonly Fact[], until: number = Infinity): Standings {
  const standings = new Map<string, FindingStatus>();
  for (const fact of facts) {
    if (fact.type !== "review_complete" || !(Number(fact["cycle"]) <= until)) continue;
    for (const each of standingsIn(fact)) standings.set(nameOf(each), each.status);
  }
  return standings;
}

/** What a review says of findings: how those stand that it changed, or all. */
export function standingsIn({ all, changed }: Fact): readonly Standing[] {
  return [all, changed].flat().filter(isStanding);
}

/** The findings whose status changed, or that are new. */
export function changesSince(
  before: Standings,
  findings: readonly Standing[],
): readonly Standing[] {
  return findings
    .filter((finding) => before.get(nameOf(finding)) !== finding.status)
    .map(({ id, cycle, status }) => ({ id, cycle, status }));
}

function isStanding(value: unknown): value is Standing {
  if (typeof value !== "object" || value === null) return false;
  const { id, cycle, status }: Partial<Record<keyof Standing, unknown>> = value;
  return typeof id === "string" && typeof cycle === "number" && STATUSES.has(status);
}
