import { cleanLine, count, fit, money } from "@quasar/runs/text";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, type View } from "../../shared/output/text.ts";
import type { NebulaFacts } from "../facts/nebula-apply.ts";

const MOST_NAMED = 8;

/** Each phase of a nebula, in the order of the plan. */
export function phaseTable({ phases }: NebulaFacts, view: View): readonly string[] {
  const rows = phases.map(({ phaseId, status, attempt, spentUsd, landedSha, reason }) => [
    fit(cleanLine(phaseId), 24),
    status.replace("_", " "),
    String(attempt),
    money(spentUsd),
    landedSha.slice(0, 10),
    fit(cleanLine(reason), 200),
  ]);
  const head = ["phase", "status", "attempt", "cost", "landed", "why"];
  return tableLines(head, rows, ["left", "left", "right", "right", "left", "left"], view);
}

/** How a nebula stands, in five lines: what has landed, what waits and why, what it has cost. */
export function stateLines(nebula: NebulaFacts, view: View): string[] {
  const { phases, branch, spentUsd } = nebula;
  const landed = phases.filter(({ status }) => status === "done");
  const of = (...statuses: readonly string[]) =>
    phases.filter(({ status }) => statuses.includes(status));
  const head = `${fit(cleanLine(nebula.nebula), 40)}: ${landed.length} of ${count(phases.length, "phase")} landed on ${cleanLine(branch)}`;
  return [
    view.paint("bold", head),
    ...group("works", of("running", "queued", "landing")),
    ...group("pending", of("pending")),
    ...reasons("waits", of("awaiting_human"), "yellow"),
    ...reasons("failed", of("failed"), "red"),
    ...reasons("skipped", of("skipped"), "yellow"),
    ...labelled(view, "cost", money(spentUsd)),
  ];

  function group(label: string, those: NebulaFacts["phases"]): string[] {
    if (those.length === 0) return [];
    const names = those.slice(0, MOST_NAMED).map(({ phaseId }) => fit(cleanLine(phaseId), 24));
    const more = those.length - names.length;
    return labelled(view, label, [...names, ...(more > 0 ? [`${more} more`] : [])].join(", "));
  }

  function reasons(label: string, those: NebulaFacts["phases"], style: "yellow" | "red"): string[] {
    return those.flatMap(({ phaseId, reason }, at) =>
      labelled(
        view,
        at === 0 ? label : "",
        `${fit(cleanLine(phaseId), 24)}: ${fit(cleanLine(reason), 200)}`,
        style,
      ),
    );
  }
}
