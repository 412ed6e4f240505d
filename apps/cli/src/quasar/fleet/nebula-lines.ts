import type { NebulaState, PhaseState } from "@quasar/nebula";
import { progressOf, recordedCost, sumOfCosts } from "@quasar/nebula/internal";
import { LANE, type NebulaStatus } from "@quasar/nebula/port";
import { cleanLine, fit, shellWord } from "@quasar/runs/text";
import { landedWords } from "@quasar/runs/words";
import { withRemark } from "../../shared/remark.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, type View } from "../../shared/output/text.ts";
import { costCell } from "../runs/cost-cell.ts";

/** Which machine works on a phase, or has the lane; `""`: none does. */
export function machineOf({ holders }: Pick<NebulaStatus, "holders">, work: string): string {
  return holders.find((each) => each.work === work)?.machine ?? "";
}

/** How a nebula of a fleet stands, with the machine of each phase. @param blocked - Why nothing begins; `""`: nothing is in the way */
export function fleetNebulaLines(
  state: NebulaState,
  status: NebulaStatus,
  blocked: string,
  view: View,
): readonly string[] {
  const branch = cleanLine(state.branch);
  const { orders } = status;
  const conductor = machineOf(status, LANE);
  const rows = state.phases.map((phase) => [
    fit(cleanLine(phase.id), 24),
    standing(phase, status),
    String(phase.attempt),
    phase.runs.length === 0 ? "" : costCell(recordedCost(phase)),
    cleanLine(machineOf(status, phase.ref)),
    fit(cleanLine(phase.reason), 200),
  ]);
  return [
    view.paint(
      "bold",
      `${fit(cleanLine(state.name), 40)}: ${landedWords(progressOf(state), branch)}`,
    ),
    ...labelled(view, "cost", costCell(sumOfCosts(state.phases.map(recordedCost)))),
    ...labelled(view, "lane", conductor === "" ? "no machine has it now" : cleanLine(conductor)),
    ...(blocked === "" ? [] : labelled(view, "blocked", fit(cleanLine(blocked), 400), "yellow")),
    ...(orders.isPaused ? labelled(view, "paused", "no turn begins", "yellow") : []),
    ...(state.planVerdict === "asked" ? labelled(view, "plan", "waits for you", "yellow") : []),
    ...(orders.stop === "" ? [] : labelled(view, "stops", "as a person asked", "yellow")),
    "",
    ...tableLines(
      ["phase", "status", "attempt", "cost", "machine", "why"],
      rows,
      ["left", "left", "right", "right", "left", "left"],
      view,
    ),
  ];
}

function standing(
  { status: is, ref, question, landing }: PhaseState,
  status: NebulaStatus,
): string {
  switch (is) {
    case "running":
      return machineOf(status, ref) === "" ? "offered" : "works";
    case "awaiting_human":
      return question === "land" ? "to approve" : "waits for you";
    case "done":
      return landing > 0 ? "landed" : "unchanged";
    case "queued":
      return "approved";
    default:
      return is;
  }
}

/** What a person types next where the branch fails by itself. */
export function redBaseSteps(
  { id, branch }: NebulaState,
  { depot }: NebulaStatus,
  url: string,
): readonly string[] {
  const there = shellWord(cleanLine(branch));
  return [
    withRemark(`quasar nebula fetch ${id} --fleet ${url}`, `then commit the fix on ${there}`),
    withRemark(`git push ${shellWord(cleanLine(depot))} ${there}`, "found within ten minutes"),
  ];
}

/** What a person types next. */
export function fleetSteps(
  state: NebulaState,
  { orders }: Pick<NebulaStatus, "orders">,
  url: string,
): readonly string[] {
  const isHeldBack = orders.isPaused || orders.stop !== "";
  const to = `--nebula ${state.id} --fleet ${url}`;
  const asked = state.phases.filter(({ status }) => status === "awaiting_human");
  const failed = state.phases.filter(({ status }) => status === "failed");
  const isDone = state.phases.every(({ status }) => status === "done" || status === "skipped");
  return [
    ...(isHeldBack ? [`quasar nebula continue ${state.id} --fleet ${url}`] : []),
    ...(state.planVerdict === "asked" ? [`quasar nebula approve ${to}`] : []),
    ...asked.slice(0, 3).map(({ id }) => `quasar nebula approve ${cleanLine(id)} ${to}`),
    ...failed.slice(0, 3).map(({ id }) => `quasar nebula retry ${cleanLine(id)} ${to}`),
    ...(isDone
      ? [`quasar nebula fetch ${state.id} --fleet ${url}`]
      : [`quasar nebula log ${state.id} --fleet ${url} --follow`]),
  ];
}
