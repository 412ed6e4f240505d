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

/** `1 warning`; `""` where there is none. */
export function warningCount(findings: readonly Finding[]): string {
  const warnings = findings.filter(({ state }) => state === "warning").length;
  return warnings === 0 ? "" : count(warnings, "warning");
}
