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
  const scoped = phases.map((phase, place) => ({ phase, place, entries: entriesOf(phase) }));
  const folders = new Folders();
  for (const { place, entries } of scoped)
    for (const [, scope] of entries) folders.add(scope, place);
  return scoped.flatMap((a) => {
    const near = new Set(a.entries.flatMap(([, scope]) => folders.near(scope)));
    return [...near]
      .filter((place) => place > a.place)
      .toSorted((one, other) => one - other)
      .flatMap((place): readonly Overlap[] => {
        const b = scoped[place];
        if (b === undefined || areOrdered(a.place, place)) return [];
        const patterns = firstOverlap(a.entries, b.entries);
        if (patterns === undefined) return [];
        const isAllowed = a.phase.allowScopeOverlap || b.phase.allowScopeOverlap;
        return [{ phases: [a.phase, b.phase], patterns, isAllowed }];
      });
  });
}

/** An entry of a scope, as it is written and as it is read. */
type Entry = readonly [text: string, scope: Scope];

/** Those of a phase that can be read. */
function entriesOf({ scope: texts }: PhaseFile): readonly Entry[] {
  return texts.flatMap((text): readonly Entry[] => {
    const scope = parseScope(text);
    return scope === undefined ? [] : [[text, scope]];
  });
}

/** The places of phases by the folder that their scopes begin in: most scopes are far from most others. */
class Folders {
  readonly #places: number[] = [];
  readonly #within = new Map<string, Folders>();

  add([name, ...rest]: Scope, place: number): void {
    if (typeof name !== "string") this.#places.push(place);
    else this.#folder(name).add(rest, place);
  }

  /** All whose scopes could overlap with one: above it, and below. */
  near([name, ...rest]: Scope): readonly number[] {
    if (typeof name !== "string") return this.#all();
    return [...this.#places, ...(this.#within.get(name)?.near(rest) ?? [])];
  }

  #folder(name: string): Folders {
    const known = this.#within.get(name);
    if (known !== undefined) return known;
    const folder = new Folders();
    this.#within.set(name, folder);
    return folder;
  }

  #all(): readonly number[] {
    return [...this.#places, ...[...this.#within.values()].flatMap((each) => each.#all())];
  }
}

function firstOverlap(a: readonly Entry[], b: readonly Entry[]): Overlap["patterns"] | undefined {
  for (const [one, scope] of a) {
    for (const [other, its] of b) if (scopesOverlap(scope, its)) return [one, other];
  }
  return undefined;
}
