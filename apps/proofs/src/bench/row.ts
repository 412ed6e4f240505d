/** One line of the table: how a figure of ours compares with its yardstick, measured side by side. */
export interface Row {
  readonly what: string;
  /** Ours divided by the yardstick's, or a plain count where there is no yardstick. */
  readonly figure: number;
  /** The figure may be this at most; `undefined` for one without a goal. */
  readonly atMost: number | undefined;
  /** The medians behind the ratio, in milliseconds. */
  readonly ms?: { readonly ours: number; readonly yardstick: number } | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/**
 * Times two things in turn, so that a machine that slows down slows both.
 *
 * @returns the medians in milliseconds and the median of the ratios pair by pair.
 */
export async function inPairs(
  rounds: number,
  ours: () => unknown,
  yardstick: () => unknown,
): Promise<{ ratio: number; ms: { ours: number; yardstick: number } }> {
  await ours();
  await yardstick();
  const pairs: { ours: number; yardstick: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = round % 2 === 0;
    const a = await time(first ? ours : yardstick);
    const b = await time(first ? yardstick : ours);
    pairs.push(first ? { ours: a, yardstick: b } : { ours: b, yardstick: a });
  }
  return {
    ratio: median(pairs.map((pair) => pair.ours / pair.yardstick)),
    ms: {
      ours: median(pairs.map((pair) => pair.ours)),
      yardstick: median(pairs.map((pair) => pair.yardstick)),
    },
  };
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
