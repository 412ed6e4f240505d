import { isAlive, identityOf } from "@quasar/process";
import { leaveSupervisor, spawnSupervisor, type SupervisorProcess } from "./start-supervisor.ts";
import type { TurnName } from "./supervisor-errors.ts";

/** Supervisors that wait for their turn, by its id. */
const ready = new Map<string, SupervisorProcess>();

/**
 * Gets ready for a turn that will probably be taken, by whatever agent that is a program of its own: its
 * supervisor starts, and does nothing until it is told to. Who is ready already stays so.
 *
 * @param turn - Of a turn that nobody has begun.
 * @returns Lets go of it, if the turn has not been taken. Without that it keeps this process alive.
 * @throws {AgentsError} `ERR_NO_SUPERVISOR`
 * @see SPEC.md, "The supervisor"
 */
export function getReady(turn: TurnName): () => void {
  const waiting = ready.get(turn.turnId);
  const child = waiting !== undefined && isRunning(waiting) ? waiting : spawnSupervisor(turn);
  ready.set(turn.turnId, child);
  return () => {
    if (ready.get(turn.turnId) !== child) return;
    ready.delete(turn.turnId);
    leaveSupervisor(child);
  };
}

/** The supervisor for a turn that is being taken: the one that waits for it, or a new one. */
export function supervisorOf(turn: TurnName): SupervisorProcess {
  const waiting = ready.get(turn.turnId);
  // Where the system does not say, it stays with whoever got it ready, and is let go by them.
  const isWaiting = waiting !== undefined && isRunning(waiting);
  ready.delete(turn.turnId);
  return isWaiting ? waiting : spawnSupervisor(turn);
}

/** Whether it can still be told something: Node says only later that it has ended. */
function isRunning({ pid, exitCode, signalCode }: SupervisorProcess): boolean {
  const isKnown = pid !== undefined && exitCode === null && signalCode === null;
  return isKnown && isAlive(identityOf(pid)) !== false;
}
