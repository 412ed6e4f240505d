import type { NebulaFacts } from "@quasar/nebula/facts";
import { cell, type Line, line, span } from "../model/line.ts";
import { type Body, bodyOf } from "./body.ts";

/** What lands now and next, then what has landed, newest first. */
export function laneBody({ phases, lane, landings }: NebulaFacts): Body {
  const landing = phases.filter(({ status }) => status === "landing");
  const queue = lane.filter((id) => !landing.some((phase) => phase.id === id));
  const coming: Line[] = [
    ...landing.map(
      ({ id }): Line => [cell("now", 5, "cyan"), cell(id, 14), span(" verifies the merged tree")],
    ),
    ...queue.map((id, at): Line => [cell(at === 0 ? "next" : "", 5), cell(id, 14)]),
  ];
  return bodyOf([
    ...(coming.length === 0 ? [line("nothing waits to land", "dim")] : coming),
    ...landings
      .toReversed()
      .map(
        ({ number, phase, sha, isVerified }): Line => [
          cell(`${number}`, 5, "green"),
          cell(phase, 14),
          span(` ${sha.slice(0, 10)}`),
          span(isVerified ? " verified" : " not verified", isVerified ? "dim" : "yellow"),
        ],
      ),
  ]);
}
