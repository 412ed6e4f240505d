import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aSpec } from "../../test/a-nebula.ts";
import { planOrder } from "./order.ts";
import type { PhaseSpec } from "./types.ts";

const idsOf = (phases: readonly PhaseSpec[]): string => phases.map(({ id }) => id).join(" ");

test.for([
  [
    "more phases that wait first",
    { a: [], x: ["a"], y: ["x"], b: [], c: ["b"], d: ["b"], e: ["b"] },
    { a: "priority = 9" },
    "b a x c d e y",
  ],
  ["then the higher priority", { a: [], b: [] }, { b: "priority = 1" }, "b a"],
  [
    "then the longer chain that waits",
    { a: [], b: [], c: ["a"], d: ["a"], e: ["b"], f: ["e"] },
    {},
    "b a e c d f",
  ],
  ["then the id, by its bytes", { b: [], B: [], a1: [], ä: [] }, {}, "B a1 b ä"],
  ["never before what a phase needs", { a: ["z"], z: [] }, { a: "priority = 9" }, "z a"],
] as const)("phases are ordered: %s", ([, phases, keys, expected]) => {
  const renamed = Object.fromEntries(Object.entries(phases));
  const folder = "B" in renamed ? aBig(renamed) : aSpec(renamed, keys);
  expect(idsOf(planOrder(folder.phases).order)).toBe(expected);
});

/** Ids that differ in case are no nebula, but an order all the same. */
function aBig(phases: Readonly<Record<string, readonly string[]>>): {
  readonly phases: readonly PhaseSpec[];
} {
  const { phases: some } = aSpec({ a: [] });
  return {
    phases: Object.keys(phases).flatMap((id) => some.map((phase) => ({ ...phase, id }))),
  };
}

const aGraph = fc
  .array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 30, size: "max" })
  .map((all) => all.map((needs, n) => (n === 0 ? [] : [...new Set(needs.map((m) => m % n))])));

test("the plan is the same in whichever order the files are", () => {
  fc.assert(
    fc.property(
      aGraph,
      fc.infiniteStream(fc.nat()),
      fc.array(fc.nat({ max: 2 })),
      (graph, shuffle, priorities) => {
        const { phases: all } = aSpec(
          Object.fromEntries(graph.map((needs, n) => [`p${n}`, needs.map((m) => `p${m}`)])),
          Object.fromEntries(priorities.map((priority, n) => [`p${n}`, `priority = ${priority}`])),
        );
        const mixed = all
          .map((phase) => ({ phase, lot: shuffle.next().value }))
          .toSorted((a, b) => a.lot - b.lot)
          .map(({ phase }) => phase);
        const [one, other] = [planOrder(all), planOrder(mixed)];
        expect(idsOf(other.order)).toBe(idsOf(one.order));
        expect(other.waves.map(idsOf)).toEqual(one.waves.map(idsOf));
        expect(idsOf(other.criticalPath)).toBe(idsOf(one.criticalPath));
      },
    ),
    { numRuns: 200 },
  );
});

test("every phase comes after what it needs, in the order and in the waves", () => {
  fc.assert(
    fc.property(aGraph, (graph) => {
      const { phases } = aSpec(
        Object.fromEntries(graph.map((needs, n) => [`p${n}`, needs.map((m) => `p${m}`)])),
      );
      const { order, waves, criticalPath } = planOrder(phases);
      const waveOf = new Map(waves.flatMap((wave, n) => wave.map(({ id }) => [id, n])));
      expect(new Set(order.map(({ id }) => id)).size).toBe(phases.length);
      for (const [at, { id, dependsOn }] of order.entries()) {
        const before = new Set(order.slice(0, at).map((phase) => phase.id));
        expect(dependsOn.filter((need) => !before.has(need))).toEqual([]);
        const last = Math.max(-1, ...dependsOn.map((need) => waveOf.get(need) ?? Infinity));
        expect(waveOf.get(id)).toBe(last + 1);
      }
      expect(criticalPath).toHaveLength(waves.length);
      for (const [at, { dependsOn }] of criticalPath.entries()) {
        if (at > 0) expect(dependsOn).toContain(criticalPath[at - 1]?.id);
      }
    }),
    { numRuns: 200 },
  );
});
