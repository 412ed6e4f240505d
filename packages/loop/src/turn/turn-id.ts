import type { CycleState } from "../state.ts";

/** The id of a run's nth turn. */
export function turnId(runId: string, n: number): string {
  return `${runId}.${n}`;
}

/** Which turn of its run it is, from 1; 0 for an id that is none of ours. */
export function turnNumber(id: string | undefined): number {
  const digits = /\.([1-9]\d{0,8})$/u.exec(id ?? "")?.[1];
  return digits === undefined ? 0 : Number(digits);
}

/** The id of the turn that comes after the last one that is on record. */
export function nextTurnId({ runId, turn }: Pick<CycleState, "runId" | "turn">): string {
  return turnId(runId, turnNumber(turn?.id) + 1);
}

/** Whether a turn is one of a run's. A run without an id has none. */
export function isTurnOf(runId: string, id: string): boolean {
  const n = turnNumber(id);
  return runId !== "" && n > 0 && id === turnId(runId, n);
}
