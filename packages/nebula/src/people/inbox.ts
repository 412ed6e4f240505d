import { removeFile } from "@quasar/durable";
import type { NebulaHome } from "../state/home.ts";
import { type Decision, decisionSchema } from "./decision.ts";
import { leaveNote, type Note, waitingNotes } from "./notes.ts";

/** Leaves a decision for the engine that works on the nebula, durably, in place of those about the same phase. */
export function leaveDecision(home: NebulaHome, decision: Decision, now: Date): void {
  const before = waitingDecisions(home).filter(({ said }) => said?.phase === decision.phase);
  leaveNote(home.inbox, decision, now);
  for (const { path } of before) removeFile(path);
}

/** What is waiting, oldest first. */
export function waitingDecisions({ inbox }: NebulaHome): readonly Note<Decision>[] {
  return waitingNotes(inbox, decisionSchema);
}
