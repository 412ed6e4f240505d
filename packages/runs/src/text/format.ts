import type { ModelPrices } from "@quasar/agents/prices";

/** US dollars to the cent; what is more than nothing never reads as nothing. */
export function money(usd: number): string {
  if (usd > 0 && usd < 0.005) return "<$0.01";
  return `$${usd.toFixed(2)}`;
}

/** What a user has said that models cost; `undefined` where they have said nothing. */
export function pricesWords(prices: ModelPrices): string | undefined {
  const each = Object.entries(prices).map(
    ([model, { input, output }]) => `${model} ${money(input)} in, ${money(output)} out`,
  );
  return each.length === 0 ? undefined : `yours, for a million tokens: ${each.join("; ")}`;
}

/** What a run has cost, in US dollars. */
export interface Spending {
  /** What counts against the limit: what is known, and reservations for what is not. */
  readonly spentUsd: number;
  /** The part of it that is a reservation: it was spent at most. */
  readonly unknownUsd: number;
  /** Whether the cost of turns without a limit was not reported: no figure covers those. */
  readonly hasUnreportedCosts: boolean;
}

/** The part of what counts as spent that is known to have been. */
export function knownUsd({ spentUsd, unknownUsd }: Omit<Spending, "hasUnreportedCosts">): number {
  return Math.max(0, exactUsd(spentUsd - unknownUsd));
}

/** A sum of amounts: decimal fractions miss what they add up to by less than is cut off here. */
export function exactUsd(usd: number): number {
  return Math.round(usd * 1e9) / 1e9 || 0;
}

/** What was spent: what is known of it, what the rest is at most, and whether there is more that no figure covers. */
export function costWords({ hasUnreportedCosts = false, ...spending }: KnownSpending): string {
  const known = money(knownUsd(spending));
  const { unknownUsd } = spending;
  const isKnown = unknownUsd === 0 && !hasUnreportedCosts;
  const words = isKnown ? known : `${known} known`;
  const most = unknownUsd > 0 ? `, up to ${money(unknownUsd)} more` : "";
  return `${words}${most}${hasUnreportedCosts ? "; some turns reported no cost" : ""}`;
}

type KnownSpending = Omit<Spending, "hasUnreportedCosts"> & Partial<Spending>;

/** What was spent against the limit; 0 is no limit. */
export function budget(spending: Spending, maxUsd: number): string {
  if (maxUsd > 0) {
    const words = costWords({ ...spending, hasUnreportedCosts: false });
    return `${words}${spending.unknownUsd === 0 ? "" : ","} of ${money(maxUsd)}`;
  }
  return `${costWords(spending)}${spending.hasUnreportedCosts ? "" : ", no limit"}`;
}

/** What the turn may have cost whose end is not known, after what was spent; `""`: there is none, or it has no limit. */
export function openTurnWords(reservedUsd: number): string {
  if (reservedUsd === 0) return "";
  return `, and up to ${money(reservedUsd)} for the turn whose end is not known`;
}

/** `0.4 s`, `41 s`, `3:07`, `1:02:09`. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : clock(ms);
}

/** `45 s`, `12 min`, `2 h 5 min`, `1 d 6 h`: rounded up, for what is to be waited for. */
export function span(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  const [d, h, m] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = d > 0 ? [`${d} d`, h > 0 && `${h} h`] : [h > 0 && `${h} h`, m > 0 && `${m} min`];
  return parts.filter((part) => part !== false).join(" ");
}

/** `0:07`, `1:02:09`: for a figure that moves. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** `1 finding`, `2 findings`, `no findings`. */
export function count(n: number, noun: string): string {
  return `${n === 0 ? "no" : n} ${noun}${n === 1 ? "" : "s"}`;
}

/** A point in time as a person's clock shows it; text that is no time is given back. */
export function moment(rfc3339: string): string {
  const parts = dayAndTime(rfc3339);
  return parts === undefined ? rfc3339 : `${parts.day} ${parts.time.slice(0, 5)}`;
}

/** The first full minute at which a time has come: who waits for that, and is shown minutes, is not too early then. */
export function minuteAfter(rfc3339: string): string {
  const at = new Date(Math.ceil(Date.parse(rfc3339) / 60_000) * 60_000);
  return Number.isNaN(at.getTime()) ? rfc3339 : at.toISOString();
}

/** {@link moment} of the {@link minuteAfter} a time. */
export function momentAfter(rfc3339: string): string {
  return moment(minuteAfter(rfc3339));
}

/** A time as everybody reads it, wherever they are; `""` for what is no time. */
export function timeText(rfc3339: string): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return "";
  return `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** The day and the time, to the second, of a person's clock; `undefined` for what is no time. */
export function dayAndTime(rfc3339: string): { day: string; time: string } | undefined {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return undefined;
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
  return { day, time };
}

/** `process 12`, `processes 12 13`. */
export function processes(pids: readonly number[]): string {
  return `process${pids.length === 1 ? "" : "es"} ${pids.join(" ")}`;
}

/** A word of a command line for a POSIX shell, quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** {@link shellWord} in double quotes where nothing in it means anything there, as people quote. */
export function quotedWord(text: string): string {
  const isPlain = text.includes(" ") && !/["$`\\!]/u.test(text);
  return isPlain ? `"${text}"` : shellWord(text);
}

/** An amount of storage: `812 bytes`, `1.5 KiB`, `20 MiB`. */
export function size(bytes: number): string {
  const units = ["KiB", "MiB", "GiB", "TiB"];
  if (bytes < 1024) return count(bytes, "byte");
  const power = Math.min(units.length, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power - 1]}`;
}
