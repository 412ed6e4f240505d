/**
 * How much is proved: `fast` by `pnpm test`, `whole` by `pnpm check`, `long` by `pnpm proof`.
 * Set by `QUASAR_PROOF`. @default "whole"
 */
export type Lane = "fast" | "whole" | "long";

const LANES: readonly string[] = ["fast", "whole", "long"] satisfies readonly Lane[];

function laneOf(name: string): Lane {
  if (!LANES.includes(name)) throw new Error(`QUASAR_PROOF is ${name}, not ${LANES.join(", ")}`);
  return name as Lane;
}

export const lane: Lane = laneOf(process.env["QUASAR_PROOF"] ?? "whole");

/** The size of a proof in the present lane. */
export function byLane<T>(sizes: Readonly<Record<Lane, T>>): T {
  return sizes[lane];
}

/** Chooses what is sampled; printed before the tests, and repeated by `QUASAR_SEED`. */
export const seed: number = Number(process.env["QUASAR_SEED"] ?? 1);

/**
 * At most so many items, chosen by the seed, in their order.
 *
 * @param most - In the fast lane, at least 1.
 * @param mostOfWhole - In `whole`, where it is less than all; in `long` it is always all.
 */
export function sample<T>(
  items: readonly T[],
  most: number,
  mostOfWhole: number = items.length,
): readonly T[] {
  return sampleBy(seed, items, byLane({ fast: most, whole: mostOfWhole, long: items.length }));
}

/** At most so many items, chosen by a seed, in their order. */
export function sampleBy<T>(chosenBy: number, items: readonly T[], most: number): readonly T[] {
  const random = randomOf(chosenBy);
  const drawn = items.map((item, at) => ({ item, at, lot: random() }));
  const chosen = drawn.toSorted((a, b) => a.lot - b.lot).slice(0, most);
  return chosen.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

/** At most so many items of a day, spread over all: each of them comes within as few days as that leaves. */
export function ofDay<T>(day: number, items: readonly T[], most: number): readonly T[] {
  const days = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, at) => at % days === day % days);
}

/** Numbers from 0 to 1 that the seed repeats: Tommy Ettinger's mulberry32, in the public domain. */
export function randomOf(chosenBy: number): () => number {
  let state = chosenBy >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
