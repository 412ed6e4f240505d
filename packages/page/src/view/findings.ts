import type { FindingFacts } from "@quasar/runs/facts";
import { FINDING_STATUSES } from "@quasar/runs/words";
import type { ReportData } from "../report-data.ts";
import { runsOf } from "./runs.ts";

/** A finding, and which phase's run it is of. */
export interface FindingOf extends FindingFacts {
  readonly phase: string;
  readonly runId: string;
}

/** Those that are not fixed come first, the rest in the order in which they were found. */
export function findingsOf(data: ReportData): readonly FindingOf[] {
  const all = runsOf(data).flatMap(({ phase, run }) =>
    run.findings.map((finding) => ({ ...finding, phase, runId: run.id })),
  );
  const isFixed = ({ status }: FindingOf): boolean => status === "fixed";
  return [...all.filter((finding) => !isFixed(finding)), ...all.filter(isFixed)];
}

/** `found in cycle 1`, `still present in cycle 2`, `fixed in cycle 3`. */
export function lifeWords({ life, cycle }: FindingFacts): readonly string[] {
  const found = { cycle, status: "found" } as const;
  const known = life.some((each) => each.status === "found" && each.cycle === cycle);
  const all = known ? life : [...life, found];
  return all
    .toSorted((a, b) => a.cycle - b.cycle)
    .map((each, at) => {
      const again = each.status === "found" && at > 0 ? " again" : "";
      return `${FINDING_STATUSES[each.status]}${again} in cycle ${each.cycle}`;
    });
}
