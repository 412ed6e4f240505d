import { cleanLine, count } from "@quasar/runs/text";
import { labelled, nextLines, type Style, type View } from "../output/text.ts";
import type { Finding, State } from "./finding.ts";

const STYLES: Readonly<Record<State, Style | undefined>> = {
  ok: undefined,
  warning: "yellow",
  problem: "red",
  unknown: "dim",
};

/** A line for each finding, and one for each thing that can be done about it. */
export function findingLines(findings: readonly Finding[], view: View): readonly string[] {
  return findings.flatMap(({ check, state, message, next }, n) => {
    const label = findings[n - 1]?.check === check ? "" : check;
    const words = state === "ok" ? message : `${state}: ${message}`;
    return [
      ...labelled(view, label, cleanLine(words), STYLES[state]),
      ...nextLines(next, view, ""),
    ];
  });
}

/** How it stands with everything together. */
export interface Health {
  /** Things that are wrong, and still are. */
  readonly left: number;
  readonly fixed: number;
  readonly warnings: number;
}

/** @param others - What was found beside the findings. */
export function healthOf(
  findings: readonly Finding[],
  others: Pick<Health, "left" | "fixed"> = { left: 0, fixed: 0 },
): Health {
  const of = (wanted: State): number => findings.filter(({ state }) => state === wanted).length;
  return { left: others.left + of("problem"), fixed: others.fixed, warnings: of("warning") };
}

/** `healthy`, `2 problems, 1 fixed, 1 warning`. */
export function headLine({ left, fixed, warnings }: Health, view: View): string {
  const found = left + fixed;
  const words = [
    found === 0 ? "healthy" : count(found, "problem"),
    ...(fixed === 0 ? [] : [`${fixed} fixed`]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ];
  return view.paint(left === 0 ? "green" : "yellow", words.join(", "));
}
