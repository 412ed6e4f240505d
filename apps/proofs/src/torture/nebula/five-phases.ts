import { sharedText } from "./fixture.ts";
import {
  coderTurn,
  type MergeOrder,
  reviewerTurn,
  taskOf,
  type TorturedNebula,
} from "./tortured-nebula.ts";

/** `c` and `e` conflict; the last one needs all. */
const PHASES: TorturedNebula["phases"] = {
  a: [],
  b: [],
  c: ["a", "b"],
  e: ["a", "b"],
  d: ["a", "b", "c", "e"],
};

/**
 * Each turn of the whole run is one of its own, so that what was asked twice is seen; the rework is the same whichever
 * phase it is of.
 */
const TURNS: TorturedNebula["turns"] = [
  coderTurn("REWORK:", { "middle.txt": "by both\n" }),
  {
    ...coderTurn(taskOf("a"), { "shared.txt": sharedText({ 1: "line 1 by a" }), "a.txt": "a\n" }),
    says: [{ text: "Writing it", files: { "a.txt": "half of a\n" } }],
  },
  coderTurn(taskOf("b"), { "shared.txt": sharedText({ 30: "line 30 by b" }) }),
  coderTurn(taskOf("c"), { "c.txt": "c\n", "middle.txt": "by one\n" }),
  coderTurn(taskOf("e"), { "e.txt": "e\n", "middle.txt": "by another\n" }),
  coderTurn(taskOf("d"), { "d.txt": "d\n" }),
  ...["REWORK:", ...["a", "b", "c", "e", "d"].map(taskOf)].map(reviewerTurn),
];

/**
 * All that a landing may meet: two phases that edit one file, two that conflict. Each phase's base is the same in every
 * run: the first two begin at once, the next two when both have landed, and the last one after all.
 */
export function fivePhases(order: MergeOrder): TorturedNebula {
  return {
    ...{ phases: PHASES, order, workers: 2, turns: TURNS, hasFixedBases: true },
    // Of two phases that conflict, the one that lands second is reworked.
    unsteady: order === "ready" ? /\/p[34]-/u : undefined,
  };
}
