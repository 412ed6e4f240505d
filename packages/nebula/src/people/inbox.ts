import type { NebulaHome } from "../state/home.ts";
import { type Decision, decisionSchema } from "./decision.ts";
import { leaveNote, type Note, waitingNotes } from "./notes.ts";

/** Leaves a decision for the engine that works on the nebula, durably. */
export function leaveDecision({ inbox }: NebulaHome, decision: Decision, now: Date): void {
  leaveNote(inbox, decision, now);
}

/** What is waiting, oldest first. */
export function waitingDecisions({ inbox }: NebulaHome): readonly Note<Decision>[] {
  return waitingNotes(inbox, decisionSchema);
}
