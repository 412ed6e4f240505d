import type { PhaseFile } from "./types.ts";

/** Who waits for whom, by the places of the phases in their list. */
export interface Graph {
  readonly size: number;
  /** In the order of the phases. */
  readonly dependencies: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
}

/** The graph of phases; names that no phase has, and doubles, are passed over. */
export function graphOf(phases: readonly Pick<PhaseFile, "id" | "dependsOn" | "blocks">[]): Graph {
  const places = new Map(phases.map(({ id }, at) => [id, at]));
  const dependencies = phases.map(() => new Set<number>());
  const dependents = phases.map(() => new Set<number>());
  const add = (from: number | undefined, to: number | undefined): void => {
    if (from === undefined || to === undefined) return;
    dependencies[from]?.add(to);
    dependents[to]?.add(from);
  };
  for (const [at, { dependsOn, blocks }] of phases.entries()) {
    for (const id of dependsOn) add(at, places.get(id));
    for (const id of blocks) add(places.get(id), at);
  }
  const sorted = (sets: readonly ReadonlySet<number>[]): readonly (readonly number[])[] =>
    sets.map((set) => [...set].toSorted((a, b) => a - b));
  return {
    size: phases.length,
    dependencies: sorted(dependencies),
    dependents: sorted(dependents),
  };
}

/**
 * Cycles of a graph, each as the places on the way round, from the first of them; none twice. Where cycles share a phase, one
 * of them is found.
 */
export function findCycles(graph: Graph): readonly (readonly number[])[] {
  const { size, dependencies, dependents } = graph;
  const waiting = dependencies.map((those) => those.length);
  const out = new Set<number>();
  /** Takes places out, and whatever then waits for nothing that is in. */
  const remove = (places: readonly number[]): void => {
    const queue = [...places];
    for (const place of queue) {
      if (out.has(place)) continue;
      out.add(place);
      for (const next of dependents[place] ?? []) {
        waiting[next] = (waiting[next] ?? 0) - 1;
        if (waiting[next] === 0) queue.push(next);
      }
    }
  };
  remove([...waiting.keys()].filter((place) => waiting[place] === 0));
  const cycles: (readonly number[])[] = [];
  for (let start = 0; start < size; start++) {
    while (!out.has(start)) {
      const cycle = cycleFrom(start, graph, out);
      cycles.push(cycle);
      remove(cycle);
    }
  }
  return cycles;
}

/** Each phase in it waits for another one in it: on the way from one to the next the first one that repeats is in a cycle. */
function cycleFrom(
  start: number,
  { dependencies }: Graph,
  out: ReadonlySet<number>,
): readonly number[] {
  const way: number[] = [];
  const seen = new Map<number, number>();
  let place = start;
  while (!seen.has(place)) {
    seen.set(place, way.length);
    way.push(place);
    place = dependencies[place]?.find((next) => !out.has(next)) ?? place;
  }
  const cycle = way.slice(seen.get(place));
  const first = cycle.indexOf(Math.min(...cycle));
  return [...cycle.slice(first), ...cycle.slice(0, first)];
}

/** Places in an order in which each comes after those that it waits for. @param graph - Without cycles. */
export function topological({ size, dependencies, dependents }: Graph): readonly number[] {
  const waiting = dependencies.map((those) => those.length);
  const order = Array.from({ length: size }, (_, place) => place).filter(
    (place) => waiting[place] === 0,
  );
  for (const place of order) {
    for (const next of dependents[place] ?? []) {
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] === 0) order.push(next);
    }
  }
  return order;
}

/** Who waits, directly or not, for whom. */
export interface Ancestry {
  /** Whether one of two phases waits for the other. */
  areOrdered(a: number, b: number): boolean;
  /** How many phases wait for one. */
  downstream(place: number): number;
  /** How many phases one waits for. */
  upstream(place: number): number;
}

/** @param graph - Without cycles. */
export function ancestryOf(graph: Graph): Ancestry {
  const order = topological(graph);
  const before = reachOf(order, graph.dependencies);
  const behind = reachOf(order.toReversed(), graph.dependents);
  return {
    areOrdered: (a, b) => before.has(a, b) || before.has(b, a),
    downstream: behind.count,
    upstream: before.count,
  };
}

/** Which places are reached from which, and how many. @param order - Each after those to which it leads. */
function reachOf(
  order: readonly number[],
  edges: readonly (readonly number[])[],
): { has(from: number, to: number): boolean; count(from: number): number } {
  const width = Math.ceil(edges.length / 32);
  // A row of bits for each place.
  const bits = new Uint32Array(edges.length * width);
  for (const from of order) {
    for (const to of edges[from] ?? []) {
      for (let word = 0; word < width; word++) {
        bits[from * width + word] =
          (bits[from * width + word] ?? 0) | (bits[to * width + word] ?? 0);
      }
      const at = from * width + (to >>> 5);
      bits[at] = (bits[at] ?? 0) | (1 << (to & 31));
    }
  }
  return {
    has: (from, to) => (((bits[from * width + (to >>> 5)] ?? 0) >>> (to & 31)) & 1) === 1,
    count: (from) =>
      bits.subarray(from * width, (from + 1) * width).reduce((sum, word) => sum + onesIn(word), 0),
  };
}

function onesIn(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
