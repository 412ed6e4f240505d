import type { Checkpoint } from "@quasar/checkpoint";
import { book, entryOf } from "../money/ledger.ts";
import { unlearnedCost } from "../money/money.ts";
import { isTurnOpen } from "./turn-process.ts";

/**
 * The checkpoint of a run that is given up: a turn that was begun, and whose end nobody will learn, counts with all
 * that it was allowed to spend, so that no less is counted than was billed. As it is where there is none.
 *
 * @param message - Why it is given up: becomes the turn's failure.
 */
export function giveUpTurn(checkpoint: Checkpoint, message: string): Checkpoint {
  const { turn, cycle } = checkpoint;
  if (turn === undefined || !isTurnOpen(checkpoint)) return checkpoint;
  const entry = entryOf(turn, cycle, "lost", unlearnedCost(turn, true));
  return { ...checkpoint, ...book(checkpoint, entry), failure: message };
}
