import type { PhaseFacts } from "@quasar/nebula/facts";
import { shellWord } from "@quasar/runs/text";
import { type Line, line } from "../model/line.ts";
import { fleetOf, type FleetShown, phaseOf, type Shown } from "../model/shown.ts";
import { wrapped } from "./body.ts";

/** What is only on the machines that work on a nebula. */
export type ElsewhereName = "turns" | "findings" | "diff" | "cost";

/** Where it is, and the command that shows it; none where it is here. */
export function elsewhereLines(
  name: ElsewhereName,
  shown: Shown,
  selected: string,
  columns: number,
): readonly Line[] {
  const fleet = fleetOf(shown);
  if (fleet === undefined || shown.kind === "run") return [];
  const phase = phaseOf(shown, selected);
  const { words, commands } = toldOf(name, { id: shown.nebula.id, fleet, phase });
  return [
    ...wrapped(words, columns),
    ...commands.flatMap((command) => wrapped(command, columns, "cyan", "  ")),
  ];
}

/** The machine of a phase; none where it is this one. */
export function machineLines(phase: PhaseFacts): readonly Line[] {
  const { machine, machines: before = [] } = phase;
  if (machine === undefined) return [];
  if (machine !== "") return [line(`on machine ${machine}`, "dim")];
  const words =
    before.length === 0 ? "no machine works on it now" : `was worked on by ${before.join(", ")}`;
  return [line(words, "dim")];
}

/** Why nothing new is shown; none where it is. */
export function silentLines(shown: Shown, columns: number): readonly Line[] {
  const silent = fleetOf(shown)?.silent;
  return silent === undefined ? [] : wrapped(silent.why, columns, "red", "  ");
}

interface About {
  readonly id: string;
  readonly fleet: FleetShown;
  /** `undefined`: the plan. */
  readonly phase: PhaseFacts | undefined;
}

interface ToldOf {
  readonly words: string;
  readonly commands: readonly string[];
}

function toldOf(name: ElsewhereName, about: About): ToldOf {
  switch (name) {
    case "turns":
      return only(
        `What agents say stays on ${whereOf(about.phase)}; quasar worker prints each turn there.`,
      );
    case "findings":
      return only("What reviewers find stays with the run. Key l: what was sent back, and why.");
    case "diff":
      return diffOf(about);
    case "cost":
      return only("What agents cost is counted on the machines that work.");
  }
}

function only(words: string): ToldOf {
  return { words, commands: [] };
}

function whereOf(phase: PhaseFacts | undefined): string {
  const machine = phase?.machines?.at(-1) ?? "";
  return machine === "" ? "the machines that work" : `machine ${machine}`;
}

/** What is approved is at the depot, and what has landed on the branch there. */
function diffOf({ id, fleet, phase }: About): ToldOf {
  if (phase !== undefined && phase.landedSha !== "") {
    const landed = phase.landedSha.slice(0, 12);
    const fetch = `quasar nebula fetch ${id} --fleet ${shellWord(fleet.url)}`;
    const words = "Its change is on the branch at the depot. In your repository:";
    return { words, commands: [fetch, `git diff ${landed}~ ${landed}`] };
  }
  if (phase === undefined || phase.tipSha === "") {
    return only("There is a change to read once a reviewer has approved it.");
  }
  const { baseSha, tipSha } = phase;
  return {
    words: "Its change is at the depot. In your repository:",
    commands: [
      `git fetch ${shellWord(fleet.depot)} ${tipSha}`,
      `git diff ${baseSha.slice(0, 12)} ${tipSha.slice(0, 12)}`,
    ],
  };
}
