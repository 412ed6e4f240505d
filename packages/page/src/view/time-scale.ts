/** Milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where points in time are on a line from 0 to 1. Long times in which nothing happened are short on it. */
export interface TimeScale {
  at(ms: number): number;
  /** The times that are shortened: where they are, and how long they were in milliseconds. */
  readonly breaks: readonly { readonly from: number; readonly to: number; readonly ms: number }[];
  /** Points in time to be named, far enough from each other. */
  readonly ticks: readonly number[];
}

/** A pause is shortened that is longer than this part of all the time in which something happened … */
const LONG_PAUSE = 0.15;
/** … to this part of it. */
const SHORT_PAUSE = 0.04;

/** Between names on the line. */
const LEAST_DISTANCE = 0.16;

/** @param spans - When something happened, in any order. */
export function timeScale(spans: readonly Span[]): TimeScale {
  const busy = merged(spans);
  const busyMs = Math.max(1, sum(busy.map(({ from, to }) => to - from)));
  const pieces: (Span & { readonly width: number; readonly isBreak: boolean })[] = [];
  for (const [n, { from, to }] of busy.entries()) {
    const before = busy[n - 1];
    if (before !== undefined) {
      const isBreak = from - before.to > busyMs * LONG_PAUSE;
      const width = isBreak ? busyMs * SHORT_PAUSE : from - before.to;
      pieces.push({ from: before.to, to: from, width, isBreak });
    }
    pieces.push({ from, to, width: Math.max(1, to - from), isBreak: false });
  }
  const whole = Math.max(1, sum(pieces.map(({ width }) => width)));
  let left = 0;
  const placed = pieces.map((piece) => {
    const start = left / whole;
    left += piece.width;
    return { ...piece, start, end: left / whole };
  });
  const at = (ms: number): number => {
    const piece = placed.find(({ to }) => ms <= to) ?? placed.at(-1);
    if (piece === undefined) return 0;
    const { from, to, start, end } = piece;
    const part = to === from ? 0 : (ms - from) / (to - from);
    return start + (end - start) * Math.min(1, Math.max(0, part));
  };
  const breaks = placed
    .filter(({ isBreak }) => isBreak)
    .map(({ start, end, from, to }) => ({ from: start, to: end, ms: to - from }));
  const unbroken = placed.filter(({ isBreak }) => !isBreak);
  return { at, breaks, ticks: ticksOf(unbroken, whole, at) };
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200]
  .concat([1, 2, 7, 14, 30, 90, 365].map((days) => days * 86_400))
  .map((seconds) => seconds * 1000);

/** The first moment, where work continued after a pause, and round times in between. */
function ticksOf(pieces: readonly Span[], wholeMs: number, at: TimeScale["at"]): readonly number[] {
  const step = STEPS_MS.find((ms) => ms >= wholeMs * LEAST_DISTANCE) ?? wholeMs;
  const starts = pieces.slice(0, 1).map(({ from }) => from);
  const round = pieces.flatMap(({ from, to }) => {
    const first = Math.ceil(from / step) * step;
    const count = Math.max(0, Math.floor((to - first) / step) + 1);
    return Array.from({ length: count }, (_, n) => first + n * step);
  });
  const ticks: number[] = [];
  for (const ms of [...starts, ...round]) {
    const last = ticks.at(-1);
    const isFar = last === undefined || at(ms) - at(last) >= LEAST_DISTANCE * 0.9;
    if (isFar && at(ms) <= 1 - LEAST_DISTANCE / 2) ticks.push(ms);
  }
  return ticks;
}

function merged(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (last === undefined || span.from > last.to) result.push(span);
    else result[result.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return result;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
