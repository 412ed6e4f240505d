import type { SpecProblem } from "@quasar/nebula/spec";
import { cleanLine, count, fit } from "@quasar/runs/text";
import { labelled, type Style, type View } from "../../shared/output/text.ts";

const MOST_SHOWN = 50;
const MOST_COLUMNS = 400;

const STYLES = { error: "red", warning: "yellow" } as const satisfies Record<
  SpecProblem["severity"],
  Style
>;

/** Problems of a nebula, a line each with its file: the first of them, and how many more there are. */
export function problemLines(problems: readonly SpecProblem[], view: View): readonly string[] {
  const shown = problems.slice(0, MOST_SHOWN).flatMap(({ severity, file, message }) => {
    // Most sentences name it.
    const where = message.includes(file) ? "" : `${file}: `;
    return labelled(
      view,
      severity,
      fit(cleanLine(where + message), MOST_COLUMNS),
      STYLES[severity],
    );
  });
  const hidden = problems.length - MOST_SHOWN;
  return hidden > 0 ? [...shown, ...labelled(view, "", `${hidden} more: --json has all`)] : shown;
}

/** `2 errors, 1 warning`; `""`: there is none. */
export function problemCount(problems: readonly SpecProblem[]): string {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  return [
    ...(errors === 0 ? [] : [count(errors, "error")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ].join(", ");
}
