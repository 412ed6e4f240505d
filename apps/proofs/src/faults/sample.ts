import { createChooser } from "@quasar/durable/testing";

/** `count` of all, evenly spread, from a start that the seed says. */
export function sample<Item>(all: readonly Item[], count: number, seed: number): readonly Item[] {
  const step = all.length / Math.min(count, all.length);
  const start = createChooser(seed).choose(1000) / 1000;
  const picked = Array.from({ length: Math.min(count, all.length) }, (_, index) => {
    return all[Math.floor((index + start) * step)];
  });
  return picked.filter((item) => item !== undefined);
}
