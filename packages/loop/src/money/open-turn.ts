import type { Checkpoint, CheckpointTurn } from "@quasar/checkpoint";
import { isTurnOpen } from "../turn/turn-process.ts";

/** The most that a turn may have spent whose end is not known, in US dollars; 0: it has no limit. */
export function mostOfTurn({
  allowanceUsd,
  reservedUsd,
}: Pick<CheckpointTurn, "allowanceUsd" | "reservedUsd">): number {
  return Math.max(allowanceUsd, reservedUsd);
}

/** The same of a run's turn, which its ledger does not count yet; 0 where the end of each is known. */
export function openTurnUsd(checkpoint: Pick<Checkpoint, "turn" | "failure">): number {
  const { turn } = checkpoint;
  return turn !== undefined && isTurnOpen(checkpoint) ? mostOfTurn(turn) : 0;
}
