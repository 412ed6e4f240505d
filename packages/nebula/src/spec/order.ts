import { ancestryOf, type Graph, graphOf, topological } from "./graph.ts";
import type { PhaseSpec } from "./types.ts";

/** The order in which phases start where nothing else decides, and what it is made of. */
export interface PlannedOrder {
  /** Each after those that it depends on. */
  readonly order: readonly PhaseSpec[];
  /** Phases that only wait for earlier waves, wave by wave. */
  readonly waves: readonly (readonly PhaseSpec[])[];
  /** The most phases of which each waits for the one before. */
  readonly criticalPath: readonly PhaseSpec[];
}

/**
 * Orders phases by what they free: more phases that wait, then the higher priority, then the longer chain that waits, then
 * the id. The order of the files does not count.
 *
 * @param phases - Without cycles.
 */
export function planOrder(phases: readonly PhaseSpec[]): PlannedOrder {
  const graph = graphOf(phases);
  const ancestry = ancestryOf(graph);
  const behind = phases.map((_, place) => ancestry.downstream(place));
  const chain = chainsBehind(graph);
  const idBytes = phases.map(({ id }) => Buffer.from(id));
  const compare = (a: number, b: number): number =>
    (behind[b] ?? 0) - (behind[a] ?? 0) ||
    (phases[b]?.priority ?? 0) - (phases[a]?.priority ?? 0) ||
    (chain[b] ?? 0) - (chain[a] ?? 0) ||
    Buffer.compare(idBytes[a] ?? NONE, idBytes[b] ?? NONE);
  const places = phases.map((_, place) => place).toSorted(compare);
  const phaseAt = (place: number): PhaseSpec[] => phases.slice(place, place + 1);
  const depths = depthsOf(graph);
  return {
    order: ordered(graph, places).flatMap(phaseAt),
    waves: wavesOf(places, depths).map((wave) => wave.flatMap(phaseAt)),
    criticalPath: criticalPath(graph, places, chain).flatMap(phaseAt),
  };
}

const NONE = Buffer.alloc(0);

/** The places in their order, each moved behind those that it waits for. */
function ordered(
  { dependencies, dependents }: Graph,
  places: readonly number[],
): readonly number[] {
  const rank = new Map(places.map((place, at) => [place, at]));
  const waiting = dependencies.map((those) => those.length);
  // Ranks, the least of which is last.
  const ready = places.flatMap((place, at) => (waiting[place] === 0 ? [at] : [])).toReversed();
  const order: number[] = [];
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    const place = places[at] ?? 0;
    order.push(place);
    for (const next of dependents[place] ?? []) {
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] !== 0) continue;
      const own = rank.get(next) ?? 0;
      const before = ready.findIndex((other) => other < own);
      ready.splice(before < 0 ? ready.length : before, 0, own);
    }
  }
  return order;
}

/** How many phases are in the longest chain that begins with each. */
function chainsBehind(graph: Graph): readonly number[] {
  const chain = Array.from({ length: graph.size }, () => 1);
  for (const place of topological(graph).toReversed()) {
    for (const before of graph.dependencies[place] ?? []) {
      chain[before] = Math.max(chain[before] ?? 1, (chain[place] ?? 1) + 1);
    }
  }
  return chain;
}

/** How many phases are before each in the longest chain that ends with it. */
function depthsOf(graph: Graph): readonly number[] {
  const depths = Array.from({ length: graph.size }, () => 0);
  for (const place of topological(graph)) {
    for (const next of graph.dependents[place] ?? []) {
      depths[next] = Math.max(depths[next] ?? 0, (depths[place] ?? 0) + 1);
    }
  }
  return depths;
}

function wavesOf(
  places: readonly number[],
  depths: readonly number[],
): readonly (readonly number[])[] {
  const waves: number[][] = [];
  for (const place of places) (waves[depths[place] ?? 0] ??= []).push(place);
  return waves;
}

function criticalPath(
  { dependents }: Graph,
  places: readonly number[],
  chain: readonly number[],
): readonly number[] {
  const rank = new Map(places.map((place, at) => [place, at]));
  const best = (those: readonly number[]): number | undefined =>
    those.toSorted(
      (a, b) => (chain[b] ?? 0) - (chain[a] ?? 0) || (rank.get(a) ?? 0) - (rank.get(b) ?? 0),
    )[0];
  const path: number[] = [];
  for (let next = best(places); next !== undefined; next = best(dependents[next] ?? [])) {
    path.push(next);
  }
  return path;
}
