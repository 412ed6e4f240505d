import type { LoopEventData } from "./event.ts";
import type { KeptWork } from "./repository.ts";

/** What the journal says of a snapshot, and of the one of what was staged beside it. */
export function takenEvents(cycle: number, kept: KeptWork): readonly LoopEventData[] {
  return [...stagedEvents(cycle, kept), snapshotEvent(cycle, kept)];
}

/** The same of what was staged alone. */
export function stagedEvents(cycle: number, { staged }: KeptWork): readonly LoopEventData[] {
  return staged === undefined ? [] : [snapshotEvent(cycle, staged)];
}

function snapshotEvent(cycle: number, { n, ref, sha }: KeptWork): LoopEventData {
  return { type: "snapshot", cycle, n, ref, sha };
}
