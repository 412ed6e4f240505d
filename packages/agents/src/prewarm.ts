import { isAlive, identityOf } from "@quasar/process";
import { leaveSupervisor, spawnSupervisor, type SupervisorProcess } from "./start-supervisor.ts";
import type { TurnName } from "./supervisor-errors.ts";

/** Supervisors that wait for their turn, by its id. */
const prewarmed = new Map<string, SupervisorProcess>();

/**
 * Starts the supervisor of a turn that will probably be taken, by whatever agent that is a program of its own. It
 * does nothing until it is told to; one that waits already stays.
 *
 * @param turn - Of a turn that nobody has begun.
 * @returns Disposes of it, if the turn has not been taken. Without that it keeps this process alive.
 * @throws {AgentsError} `ERR_NO_SUPERVISOR`
 * @see SPEC.md, "The supervisor"
 */
export function prewarm(turn: TurnName): () => void {
  const waiting = prewarmed.get(turn.turnId);
  const child = waiting !== undefined && isRunning(waiting) ? waiting : spawnSupervisor(turn);
  prewarmed.set(turn.turnId, child);
  return () => {
    if (prewarmed.get(turn.turnId) !== child) return;
    prewarmed.delete(turn.turnId);
    leaveSupervisor(child);
  };
}

/** The supervisor for a turn that is being taken: the one that waits for it, or a new one. */
export function supervisorOf(turn: TurnName): SupervisorProcess {
  const waiting = prewarmed.get(turn.turnId);
  // Where the system does not say, it stays with whoever prewarmed it, and is disposed of by them.
  const isWaiting = waiting !== undefined && isRunning(waiting);
  prewarmed.delete(turn.turnId);
  return isWaiting ? waiting : spawnSupervisor(turn);
}

/** Whether it can still be told something: Node says only later that it has ended. */
function isRunning({ pid, exitCode, signalCode }: SupervisorProcess): boolean {
  const isKnown = pid !== undefined && exitCode === null && signalCode === null;
  return isKnown && isAlive(identityOf(pid)) !== false;
}
