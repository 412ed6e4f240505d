import type { NebulaFacts } from "@quasar/nebula/facts";
import { type Line, line, span } from "../model/line.ts";
import type { Item } from "../model/items.ts";
import { type Body, bodyOf } from "./body.ts";

/** The phases by their waves, each further in than what it needs. */
export function graphBody({ phases, fleet }: NebulaFacts, items: readonly Item[]): Body {
  const waves = [...new Set(phases.map(({ wave }) => wave))].toSorted((a, b) => a - b);
  // What a phase needs is in its files, which the server does not have.
  const none = fleet === undefined ? "no wave" : "phases";
  return bodyOf(
    waves.flatMap((wave): readonly Line[] => [
      line(wave === 0 ? none : `wave ${wave}`, "bold"),
      ...phases
        .filter((phase) => phase.wave === wave)
        .map(({ id, title, dependsOn }): Line => {
          const item = items.find((each) => each.id === id);
          const needs = dependsOn.length === 0 ? "" : `  after ${dependsOn.join(", ")}`;
          return [
            span("  ".repeat(Math.max(1, wave))),
            span(`${item?.mark ?? " "} `, item?.style),
            span(id, "bold"),
            span(`  ${title}`),
            span(needs, "dim"),
          ];
        }),
    ]),
  );
}
