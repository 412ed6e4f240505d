import type { Checkpoint } from "@quasar/checkpoint";
import { isAlive } from "@quasar/durable";

/** Whether a turn was begun and nobody knows how it ended. */
export function isTurnOpen({ turn, failure }: Checkpoint): boolean {
  return turn?.status === "started" && failure === "";
}

/** Whether a turn's end is not known and the process that runs its agent still lives. */
export function isAgentAlive(checkpoint: Checkpoint): boolean {
  const { turn } = checkpoint;
  if (turn === undefined || turn.pid === 0 || !isTurnOpen(checkpoint)) return false;
  const { pid, processStart, bootId, host } = turn;
  const startTime = processStart === 0 ? undefined : processStart;
  return isAlive({ pid, startTime, bootId: bootId === "" ? undefined : bootId, host }) === true;
}
