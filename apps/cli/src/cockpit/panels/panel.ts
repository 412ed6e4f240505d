import { shortId } from "@quasar/runs/words";
import { fleetOf, type Shown, phaseOf, runOf, turnOf } from "../model/shown.ts";
import type { PanelName } from "../model/ui.ts";
import { type Body, bodyOf } from "./body.ts";
import { changeWords, diffBody } from "./diff.ts";
import { type ElsewhereName, elsewhereLines } from "./elsewhere.ts";
import { eventsBody } from "./events.ts";
import { findingsBody } from "./findings.ts";
import { laneBody } from "./lane.ts";
import { moneyBody } from "./money.ts";
import { saidBody } from "./said.ts";

/** A part of the screen with a title. */
export interface Panel {
  readonly title: string;
  readonly body: Body;
}

/** @param selected - Whose turns, findings and diff. @param columns - Of its lines. */
export function panelOf(name: PanelName, shown: Shown, selected: string, columns: number): Panel {
  const run = runOf(shown, selected);
  if (fleetOf(shown) !== undefined && isElsewhere(name)) {
    const body = bodyOf(elsewhereLines(name, shown, selected, columns));
    return { title: name === "turns" ? turnsTitle(shown, selected) : ELSEWHERE[name], body };
  }
  switch (name) {
    case "turns":
      return { title: turnsTitle(shown, selected), body: saidBody(run, shown, columns) };
    case "findings":
      return { title: "Findings", body: findingsBody(run, columns) };
    case "diff": {
      const { change } = shown;
      const sum = change === undefined ? "" : ` · ${changeWords(change)}`;
      return { title: `Diff since base${sum}`, body: diffBody(change) };
    }
    case "cost":
      return { title: "Cost", body: moneyBody(shown, columns) };
    case "lane":
      return {
        title: "Lane",
        body: shown.kind === "nebula" ? laneBody(shown.nebula) : bodyOf([]),
      };
    case "events":
      return { title: "Events", body: eventsBody(shown) };
  }
}

/** Titles of what is on another machine. */
const ELSEWHERE = {
  turns: "Turns",
  findings: "Findings",
  diff: "Diff",
  cost: "Cost",
} as const satisfies Record<ElsewhereName, string>;

function isElsewhere(name: PanelName): name is ElsewhereName {
  return Object.hasOwn(ELSEWHERE, name);
}

/** Who works in it: `sessions · coder · turn 3 · claude · live`. */
function turnsTitle(shown: Shown, selected: string): string {
  const run = runOf(shown, selected);
  const turn = turnOf(run);
  const name = shown.kind === "run" ? "Turns" : (phaseOf(shown, selected)?.id ?? "Turns");
  if (run === undefined || turn === undefined) return name;
  const agent = turn.role === "coder" ? run.coder : run.reviewer;
  const parts = [name, turn.role, `turn ${shortId(turn.turnId)}`, agent];
  return [...parts, turn.status === "open" ? "live" : ""].filter((part) => part !== "").join(" · ");
}
