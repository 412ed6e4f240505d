import type { Ancestry } from "./graph.ts";
import { parseScope, type Scope, scopesOverlap } from "./scope.ts";
import type { PhaseFile } from "./types.ts";

/** Two phases that may change the same files while neither waits for the other. */
export interface Overlap {
  readonly phases: readonly [PhaseFile, PhaseFile];
  /** The first entries of their scopes that overlap. */
  readonly patterns: readonly [string, string];
  /** Whether one of the two allows it. */
  readonly isAllowed: boolean;
}

/** Pairs of phases with overlapping scopes of which neither waits for the other. A phase without scope overlaps with none. */
export function findOverlaps(
  phases: readonly PhaseFile[],
  { areOrdered }: Ancestry,
): readonly Overlap[] {
  const scoped = phases.flatMap((phase, place) => {
    const scopes = phase.scope.flatMap((text): readonly (readonly [string, Scope])[] => {
      const scope = parseScope(text);
      return scope === undefined ? [] : [[text, scope]];
    });
    return scopes.length === 0 ? [] : [{ phase, place, scopes }];
  });
  return scoped.flatMap((a, at) =>
    scoped.slice(at + 1).flatMap((b): readonly Overlap[] => {
      if (areOrdered(a.place, b.place)) return [];
      const patterns = firstOverlap(a.scopes, b.scopes);
      if (patterns === undefined) return [];
      const isAllowed = a.phase.allowScopeOverlap || b.phase.allowScopeOverlap;
      return [{ phases: [a.phase, b.phase], patterns, isAllowed }];
    }),
  );
}

function firstOverlap(
  a: readonly (readonly [string, Scope])[],
  b: readonly (readonly [string, Scope])[],
): readonly [string, string] | undefined {
  for (const [one, scope] of a) {
    for (const [other, its] of b) if (scopesOverlap(scope, its)) return [one, other];
  }
  return undefined;
}
