/** How the Go original writes a length of time: `5m`, `1h30m`, `1.5h`, `0`. */
export const DURATION: RegExp = /^(?:0|(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|μs|ms|s|m|h)){1,8})$/;

const MS_OF: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The longest length of time that a nebula may name: timers take less than 25 days. */
export const LONGEST = "576h";

/** Whole milliseconds of a text that {@link DURATION} matches, rounded up. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/([\d.]+)([a-zµμ]+)/g)];
  return Math.ceil(
    parts.reduce((sum, [, n, unit = ""]) => sum + Number(n) * (MS_OF[unit] ?? 0), 0),
  );
}

/** The text of whole milliseconds, in the largest unit in which it is whole. */
export function durationText(ms: number): string {
  const unit = ["h", "m", "s"].find((each) => ms % (MS_OF[each] ?? 1) === 0) ?? "ms";
  return `${ms / (MS_OF[unit] ?? 1)}${unit}`;
}

/** An amount of disk: `5GB`, `512MiB`, `0`. */
export const SIZE: RegExp = /^(?:0|\d{1,6}(?:\.\d{1,3})? ?(?:[kKMGT]i?)?B)$/;

const POWERS = ["", "K", "M", "G", "T"];

/** Bytes of a text that {@link SIZE} matches: `GB` counts in thousands, `GiB` in 1,024s. */
export function sizeBytes(text: string): number {
  const [, n = "0", letter = "", binary] = /^([\d.]+) ?([kKMGT]?)(i?)B?$/.exec(text) ?? [];
  const base = binary === "i" ? 1024 : 1000;
  return Math.ceil(Number(n) * base ** POWERS.indexOf(letter.toUpperCase()));
}
