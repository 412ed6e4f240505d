import { questionWords, type Standing, standingOf } from "@quasar/nebula/facts";
import { cleanLine, costWords, fit, wrap } from "@quasar/runs/text";
import { landedWords } from "@quasar/runs/words";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, type Style, type View } from "../../shared/output/text.ts";
import type { NebulaFacts, NebulaPhaseFacts } from "../facts/nebula-apply.ts";
import { costCell } from "../runs/cost-cell.ts";
import { headline } from "./headline.ts";
import { nameOf, namesOf, reasonOf } from "./standing.ts";

const MOST_REASONS = 4;

interface Told {
  readonly standing: Standing;
  readonly style?: Style;
  /** Whether its phases are named alone, without what was said of them before. */
  readonly isNamed?: true;
}

/** The words for phases that have not landed, in this order. */
const TOLD: readonly Told[] = [
  { standing: "works", isNamed: true },
  { standing: "approved" },
  { standing: "stopped", style: "yellow", isNamed: true },
  { standing: "waits", style: "yellow" },
  { standing: "limited", style: "yellow" },
  { standing: "failed", style: "red" },
  { standing: "skipped", style: "yellow" },
  { standing: "pending" },
];

/** Each phase of a nebula, in the order of the plan. */
export function phaseTable(nebula: NebulaFacts, view: View): readonly string[] {
  const rows = nebula.phases.map((phase) => [
    nameOf(phase.phaseId),
    standingOf(phase, nebula),
    String(phase.attempt),
    costCell(phase),
    phase.landedSha.slice(0, 10),
    headline(reasonOf(phase, nebula), view),
  ]);
  const head = ["phase", "status", "attempt", "cost", "landed", "why"];
  const align = ["left", "left", "right", "right", "left", "left"] as const;
  return tableLines(head, rows, align, view);
}

/**
 * How a nebula stands: how much has landed and what it has cost, then each phase that has not, with what keeps it. A
 * nebula of any size has a screen of it.
 */
export function stateLines(nebula: NebulaFacts, view: View): string[] {
  const { phases, branch, pauseEnds } = nebula;
  const isKnown = nebula.unknownUsd === 0 && !nebula.hasUnreportedCosts;
  const cost = isKnown ? `${costWords(nebula)} spent` : `cost ${costWords(nebula)}`;
  const head = `${fit(cleanLine(nebula.nebula), 40)}: ${landedWords(nebula, cleanLine(branch))}, ${cost}`;
  const heads = view.columns === undefined ? [head] : wrap(head, view.columns);
  return [
    ...heads.map((line) => view.paint("bold", line)),
    ...stopLines(nebula, view),
    ...(pauseEnds.length === 0
      ? []
      : labelled(view, "paused", `until ${pauseEnds.join(" and ")}`, "yellow")),
    ...agentLines(nebula, view),
    ...obstacleLines(nebula.obstacles, view),
    ...planLines(nebula, view),
    ...pushLines(nebula, view),
    ...questionLines(nebula, view),
    ...TOLD.flatMap(({ standing, style, isNamed }) => {
      const those = phases.filter((phase) => standingOf(phase, nebula) === standing);
      const lines = isNamed ? namesOf(those.map(idOf)) : reasonLines(those, nebula, view);
      return lines.flatMap((line, at) => labelled(view, at === 0 ? standing : "", line, style));
    }),
  ];
}

const STOPS = {
  now: "now: the turns in flight are cut off and resumed later",
  "after-turns": "after the turns in flight",
} as const;

function stopLines({ stops }: NebulaFacts, view: View): readonly string[] {
  return stops === undefined ? [] : labelled(view, "stops", STOPS[stops], "yellow");
}

/** That agents outlive their engine. */
function agentLines({ agentPhaseIds }: NebulaFacts, view: View): readonly string[] {
  return namesOf(agentPhaseIds).flatMap((names) =>
    labelled(view, "agents", `${names}: still at work, and cost; a resume reattaches`, "yellow"),
  );
}

const idOf = ({ phaseId }: NebulaPhaseFacts): string => phaseId;

/** A line for each reason, with the phases that have it. */
function reasonLines(
  those: readonly NebulaPhaseFacts[],
  nebula: NebulaFacts,
  view: View,
): readonly string[] {
  const groups = Map.groupBy(those, (phase) => reasonOf(phase, nebula));
  const lines = [...groups].flatMap(([reason, phases]) => {
    const names = namesOf(phases.map(idOf));
    return reason === ""
      ? names
      : names.map((name) => `${name}: ${headline(reason, view, `${name}: `)}`);
  });
  const rest = lines.length - MOST_REASONS;
  if (rest <= 0) return lines;
  return [
    ...lines.slice(0, MOST_REASONS),
    `${rest} more: quasar nebula status ${nebula.nebulaId} --all`,
  ];
}

/** A line for each thing that stands in the way of an engine. */
export function obstacleLines(obstacles: readonly string[], view: View): string[] {
  return obstacles.flatMap((words) => labelled(view, "blocked", headline(words, view), "yellow"));
}

function planLines({ plan, planReason }: NebulaFacts, view: View): string[] {
  if (plan === "open") return [];
  const why = planReason === "" ? "" : `: ${fit(cleanLine(planReason), 200)}`;
  const words =
    plan === "asked" ? "waits for you: nothing begins before you approve it" : `rejected${why}`;
  return labelled(view, "plan", words, "yellow");
}

function pushLines({ push, pushReason = "" }: NebulaFacts, view: View): string[] {
  if (push === undefined) return [];
  if (push === "asked") return labelled(view, "push", "once all has landed");
  if (push === "pushed") return labelled(view, "push", `on ${fit(cleanLine(pushReason), 200)}`);
  return labelled(view, "push", headline(`refused: ${pushReason}`, view), "yellow");
}

/** What agents ask, each with what may be answered. */
function questionLines({ questions }: NebulaFacts, view: View): string[] {
  return questions.flatMap(({ questionId, phaseId, detail, ...asked }, at) => {
    const words = `${questionId} ${fit(cleanLine(phaseId), 24)}: ${questionWords(asked)}`;
    return [
      ...labelled(view, at === 0 ? "asks" : "", words, "yellow"),
      ...(detail === "" ? [] : labelled(view, "", fit(cleanLine(detail), 400))),
    ];
  });
}
