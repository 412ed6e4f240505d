import type { LoopEventData } from "../event.ts";
import type { KeptWork } from "../repository/repository.ts";

/** What the journal says of a snapshot, and of the one of what was staged that follows it. */
export function takenEvents(cycle: number, kept: KeptWork): readonly LoopEventData[] {
  return [snapshotEvent(cycle, kept), ...stagedEvents(cycle, kept)];
}

/** The same of what was staged alone. */
export function stagedEvents(cycle: number, { staged }: KeptWork): readonly LoopEventData[] {
  return staged === undefined ? [] : [{ ...snapshotEvent(cycle, staged), isStaged: true }];
}

function snapshotEvent(cycle: number, { n, ref, sha }: KeptWork) {
  return { type: "snapshot", cycle, n, ref, sha } as const;
}
