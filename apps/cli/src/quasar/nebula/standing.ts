import type { PhaseState } from "@quasar/nebula";
import type { NebulaNow } from "@quasar/nebula/internal";
import { cleanLine, fit, moment, money } from "@quasar/runs/text";
import type { NebulaFacts, NebulaPhaseFacts } from "../facts/nebula-apply.ts";

const MOST_NAMED = 8;

/** The id of a phase as screens have it: it is free text. */
export function nameOf(id: string): string {
  return fit(cleanLine(id), 24);
}

/** The first of some phases, and how many more there are; none for none. */
export function namesOf(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const names = ids.slice(0, MOST_NAMED).map(nameOf);
  const more = ids.length - names.length;
  return [[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")];
}

/** How a phase stands in one word, which every screen uses. */
export type Standing =
  | "landed"
  /** An agent works on it, or its work tree is made ready. */
  | "works"
  /** Waits to land. */
  | "approved"
  /** Has begun, and no engine works on the nebula. */
  | "stopped"
  /** For a person. */
  | "waits"
  /** Waits for its agent's usage limit. */
  | "limited"
  | "failed"
  | "skipped"
  /** Begins or continues by itself. */
  | "pending";

const OF_STATUS: Readonly<Record<Exclude<PhaseState["status"], "running">, Standing>> = {
  pending: "pending",
  queued: "approved",
  landing: "approved",
  done: "landed",
  failed: "failed",
  skipped: "skipped",
  awaiting_human: "waits",
};

type OfPhase = Pick<NebulaPhaseFacts, "status" | "isWorkedOn" | "retryAt">;

export function standingOf(
  { status, isWorkedOn, retryAt }: OfPhase,
  { pid }: Pick<NebulaFacts, "pid">,
): Standing {
  if (retryAt !== undefined) return "limited";
  if (status !== "running") return OF_STATUS[status];
  if (isWorkedOn) return "works";
  return pid === undefined ? "stopped" : "pending";
}

/** The same of a phase's state. */
export function standingNow(
  { id, status }: Pick<PhaseState, "id" | "status">,
  { pid, working, limits }: NebulaNow,
): Standing {
  return standingOf({ status, isWorkedOn: working.has(id), retryAt: limits.get(id) }, { pid });
}

const LIMITS = {
  max_budget_usd: "limit",
  total_budget_usd: "total budget",
  max_turn_budget_usd: "limit for one turn",
} as const;

/** Why it stands so; `""` where there is nothing to say. */
export function reasonOf(phase: NebulaPhaseFacts, nebula: NebulaFacts): string {
  const { phaseId, status, reason, retryAt, landsAfter } = phase;
  const short = nebula.shortages.find((each) => each.phaseId === phaseId);
  if (short !== undefined && status === "pending") {
    return `needs a ${LIMITS[short.setting]} of ${money(short.neededBudgetUsd)}`;
  }
  if (landsAfter !== undefined) return `waits for ${nameOf(landsAfter)} to land first`;
  if (retryAt !== undefined) return `its agent's usage limit ends at ${moment(retryAt)}`;
  if (status !== "running" || standingOf(phase, nebula) !== "pending") return reason;
  return nebula.pauseEnds.length > 0
    ? "has begun, and continues when the pause has ended"
    : "has begun, and waits for a free worker";
}
