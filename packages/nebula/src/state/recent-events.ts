import type { NebulaEvent } from "../events.ts";

/** An event, and when it happened: RFC 3339. */
export type KeptEvent = NebulaEvent & { readonly at: string };

/**
 * The events that the state keeps beside the journal, which is written after it and synced now and then only: a crash
 * may take them there.
 */
export interface RecentEvents {
  /** The number that the first of them has in the journal, from 1. */
  readonly from: number;
  /** As JSON, oldest first. */
  readonly events: readonly string[];
}

export const NO_EVENTS: RecentEvents = { from: 1, events: [] };

/** Bytes of the longest event that is kept whole. The journal takes none of over 64 KiB. */
const MOST_BYTES = 48 * 1024;

/** An event as it is kept: where it is too long, its texts and lists are cut. */
export function eventText(event: KeptEvent): string {
  const text = JSON.stringify(event);
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  return JSON.stringify(event, (_key, value: unknown) => {
    if (typeof value === "string") return value.slice(0, 200);
    return Array.isArray(value) ? value.slice(0, 50) : value;
  });
}

/**
 * What a journal lacks of the events that the state has.
 *
 * @param length - How many records the journal has.
 */
export function missingEvents({ from, events }: RecentEvents, length: number): readonly string[] {
  // One that has lost more than was not synced is not the journal that these are of.
  return length < from - 1 ? [] : events.slice(length - from + 1);
}

/** The event of a record, or of what the state keeps. */
export function parseEvent(text: string): KeptEvent {
  return JSON.parse(text) as KeptEvent;
}
