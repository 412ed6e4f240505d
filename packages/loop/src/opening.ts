import type { LoopEventData } from "./event.ts";
import type { Ports } from "./run.ts";
import type { CycleState } from "./state.ts";

/** What a person should know before a run goes off. */
export function openingWarnings(ports: Ports, state: CycleState): LoopEventData[] {
  if (ports.repository !== undefined) return [];
  return [warning(state, "not in a git repository: nothing is committed")];
}

export function warning({ cycle }: CycleState, message: string): LoopEventData {
  return { type: "warning", cycle, message };
}
