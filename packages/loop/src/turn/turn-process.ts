import type { Checkpoint, CheckpointTurn } from "@quasar/checkpoint";
import { isAlive, type ProcessIdentity } from "@quasar/process";

type StoredProcess = Pick<CheckpointTurn, "pid" | "processStart" | "bootId" | "host">;

/** What a turn says of its process before there is one. */
export const NO_PROCESS: StoredProcess = { pid: 0, processStart: 0, bootId: "", host: "" };

/** A process as a turn keeps it. */
export function storedProcess({ pid, startTime, bootId, host }: ProcessIdentity): StoredProcess {
  return { pid, processStart: startTime ?? 0, bootId: bootId ?? "", host };
}

/** The process that a turn names; `undefined` where it names none. */
export function processOf(turn: StoredProcess): ProcessIdentity | undefined {
  const { pid, processStart, bootId, host } = turn;
  if (pid === 0) return undefined;
  return {
    pid,
    startTime: processStart === 0 ? undefined : processStart,
    bootId: bootId === "" ? undefined : bootId,
    host,
  };
}

/** Whether a turn was begun and its end is unknown. */
export function isTurnOpen({ turn, failure }: Pick<Checkpoint, "turn" | "failure">): boolean {
  return turn?.status === "started" && failure === "";
}

/** Whether a turn's end is not known and the process that runs its agent still lives. */
export function isAgentAlive(checkpoint: Pick<Checkpoint, "turn" | "failure">): boolean {
  const process = checkpoint.turn && processOf(checkpoint.turn);
  return process !== undefined && isTurnOpen(checkpoint) && isAlive(process) === true;
}
