import type { PhaseState } from "@quasar/nebula";
import { reasonOf as phaseReason, type Standing, standingOf } from "@quasar/nebula/facts";
import type { NebulaNow } from "@quasar/nebula/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { momentAfter } from "@quasar/runs/words";
import { limitFrom, type NebulaFacts, type NebulaPhaseFacts } from "../facts/nebula-apply.ts";

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

/** How a phase stands, by its state. */
export function standingNow(
  { id, status, landing, candidate }: Pick<PhaseState, "id" | "status" | "landing" | "candidate">,
  { pid, working, limits }: NebulaNow,
): Standing {
  return standingOf(
    {
      ...{ status, isWorkedOn: working.has(id), retryAt: limits.get(id)?.until },
      landedSha: landing > 0 ? candidate : "",
    },
    { pid },
  );
}

/** Why it stands so; `""` where there is nothing to say. */
export function reasonOf(phase: NebulaPhaseFacts, nebula: NebulaFacts): string {
  const short = nebula.shortages.find(({ phaseId }) => phaseId === phase.phaseId);
  return phaseReason(phase, nebula, { shortage: short && limitFrom(short), moment: momentAfter });
}
