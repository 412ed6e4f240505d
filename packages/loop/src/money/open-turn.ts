import type { Checkpoint, CheckpointTurn } from "@quasar/checkpoint";
import { isTurnOpen } from "../turn/turn-process.ts";

/** What the most of a turn follows from. */
export type TurnLimits = Pick<CheckpointTurn, "allowanceUsd" | "reservedUsd" | "unmetered">;

/**
 * The most that a turn counts with whose end is not known, in US dollars; 0: it has no limit. Nothing holds an unmetered
 * one to its allowance, and what was reserved stands for it before and after it has ended.
 */
export function mostOfTurn({ allowanceUsd, reservedUsd, unmetered }: TurnLimits): number {
  return unmetered ? reservedUsd : Math.max(allowanceUsd, reservedUsd);
}

/** The same of a run's turn, which its ledger does not count yet; 0 where the end of each is known. */
export function openTurnUsd(checkpoint: Pick<Checkpoint, "turn" | "failure">): number {
  const { turn } = checkpoint;
  return turn !== undefined && isTurnOpen(checkpoint) ? mostOfTurn(turn) : 0;
}
