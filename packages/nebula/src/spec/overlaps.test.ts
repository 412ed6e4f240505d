import { randomOf } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { findOverlaps } from "./overlaps.ts";
import { parseScope, scopesOverlap } from "./scope.ts";
import type { PhaseFile } from "./types.ts";

const NAMES = ["a", "b", "a*", "*b", "**", "*", "a.ts", "*.ts", "[ab]"];

test("phases far from each other are passed over, and no pair that overlaps is", () => {
  const random = randomOf(1);
  const pick = (most: number): number => Math.floor(random() * most);
  const path = (): string => Array.from({ length: 1 + pick(3) }, () => NAMES[pick(9)]).join("/");
  const phases = Array.from({ length: 120 }, (_, place): PhaseFile => {
    const scope = Array.from({ length: pick(3) }, path);
    return { id: `p${place}`, scope, allowScopeOverlap: false } as unknown as PhaseFile;
  });
  const overlap = (a: PhaseFile, b: PhaseFile): boolean =>
    a.scope.some((one) =>
      b.scope.some((other) => scopesOverlap(parseScope(one) ?? [], parseScope(other) ?? [])),
    );
  const pairs = phases.flatMap((a, at) =>
    phases.slice(at + 1).flatMap((b) => (overlap(a, b) ? [`${a.id} ${b.id}`] : [])),
  );
  const ancestry = { areOrdered: () => false, downstream: () => 0, upstream: () => 0 };
  const found = findOverlaps(phases, ancestry).map(({ phases: [a, b] }) => `${a.id} ${b.id}`);
  expect(pairs.length).toBeGreaterThan(100);
  expect(found).toEqual(pairs);
});
