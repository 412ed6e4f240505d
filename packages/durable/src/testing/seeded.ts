/** A source of choices that a seed replays. */
export interface Chooser {
  /** An integer from 0 up to, but not including, `count`. */
  readonly choose: (count: number) => number;
  readonly bytes: (size: number) => Uint8Array;
  /** All the answers of `choose` so far. */
  readonly choices: readonly number[];
}

/** The generator mulberry32: small, quick, and good enough to pick test cases. */
export function createChooser(seed: number): Chooser {
  let state = seed >>> 0;
  const choices: number[] = [];
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return {
    choices,
    choose: (count) => {
      const choice = next() % count;
      choices.push(choice);
      return choice;
    },
    bytes: (size) => Uint8Array.from({ length: size }, () => next() & 255),
  };
}
