import type { Ports } from "../run.ts";
import type { CycleState } from "../state.ts";
import { ROLES, isTurnPhase } from "../transitions.ts";

/**
 * Whether a coder's turn worked in another work tree than is there now, for certain, and nothing is committed of what it
 * did.
 */
export function isWorkGone(
  { phase, turn }: Pick<CycleState, "phase" | "turn">,
  { repository }: Pick<Ports, "repository">,
): boolean {
  if (turn?.role !== "coder" || turn.treeMark === "") return false;
  if (!isTurnPhase(phase) || ROLES[phase] !== "coder") return false;
  const mark = repository?.treeMark();
  return mark !== undefined && mark !== turn.treeMark;
}

export const WORK_GONE =
  "the work tree was made again since the coder's turn, and nothing of it was committed: the turn begins again";
