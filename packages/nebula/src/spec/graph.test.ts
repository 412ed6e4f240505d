import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ancestryOf, findCycles, graphOf } from "./graph.ts";

/** Phases that wait for others by their places. */
function phasesOf(needs: readonly (readonly number[])[]) {
  return needs.map((those, at) => ({ id: `${at}`, dependsOn: those.map(String), blocks: [] }));
}

const SIZE = 70;
const without = fc
  .array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: SIZE, maxLength: SIZE })
  .map((all) => all.map((needs, at) => needs.flatMap((n) => (at === 0 ? [] : [n % at]))));
const withCycles = fc
  .array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 12 })
  .map((all) => all.map((needs) => needs.map((n) => n % all.length)));

/** All that a phase waits for, one step after the other. */
function reached(needs: readonly (readonly number[])[], from: number): ReadonlySet<number> {
  const found = new Set<number>(needs[from]);
  for (const place of found) for (const next of needs[place] ?? []) found.add(next);
  return found;
}

test("who waits for whom is known over any number of steps", () => {
  fc.assert(
    fc.property(without, (needs) => {
      const ancestry = ancestryOf(graphOf(phasesOf(needs)));
      const all = needs.map((_, at) => reached(needs, at));
      for (const [at, those] of all.entries()) {
        expect(ancestry.upstream(at)).toBe(those.size);
        expect(ancestry.downstream(at)).toBe(all.filter((other) => other.has(at)).length);
        // One look at all of them: half a million of their own would take seconds.
        expect(all.map((_, other) => ancestry.areOrdered(at, other))).toEqual(
          all.map((its, other) => those.has(other) || its.has(at)),
        );
      }
    }),
    { numRuns: 100 },
  );
});

test("cycles are found exactly where phases need themselves, each a way round", () => {
  fc.assert(
    fc.property(withCycles, (needs) => {
      const cycles = findCycles(graphOf(phasesOf(needs)));
      const isCyclic = needs.some((_, at) => reached(needs, at).has(at));
      expect(cycles.length > 0).toBe(isCyclic);
      for (const cycle of cycles) {
        for (const [at, place] of cycle.entries()) {
          expect(needs[place]).toContain(cycle[(at + 1) % cycle.length]);
        }
        expect(new Set(cycle).size).toBe(cycle.length);
        expect(cycle[0]).toBe(Math.min(...cycle));
      }
      const places = cycles.flat();
      expect(new Set(places).size).toBe(places.length);
    }),
    { numRuns: 500 },
  );
});
