import type { AgentRole } from "@quasar/agents";
import { INTERRUPTED } from "../ending.ts";

/** Whether a turn that came to no end was stopped or killed: nothing was wrong with it. */
export function wasInterrupted(failure: string): boolean {
  return failure === INTERRUPTED.message || failure.startsWith("interrupted");
}

/** Why a turn is taken again, as it stands behind its role. */
export function failureReason(failure: string, role: AgentRole): string {
  if (failure === INTERRUPTED.message) return "it was interrupted";
  return failure.replace(new RegExp(`^(?:${role}|interrupted): |\\.$`, "gu"), "");
}
