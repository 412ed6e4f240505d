/** Numbers from 0 to 1 that a seed repeats: `QUASAR_SEED`, else the day's own. */
export function seededRandom(): { readonly seed: number; next(): number } {
  const seed = Number(process.env["QUASAR_SEED"] ?? Math.floor(Date.now() / 86_400_000));
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { seed, next };
}
