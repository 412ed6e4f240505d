import { isAlive, identityOf } from "@quasar/process";
import { acpContextOf } from "./acp/context.ts";
import type { SupervisorProgram } from "./program-file.ts";
import { leaveSupervisor, spawnSupervisor, type SupervisorProcess } from "./start-supervisor.ts";
import type { TurnName } from "./supervisor-errors.ts";
import { contextOf, turnsBefore } from "./turn-files.ts";

interface Prewarmed {
  readonly child: SupervisorProcess;
  readonly program: SupervisorProgram;
}

/** Supervisors that wait for their turn, by its id. */
const prewarmed = new Map<string, Prewarmed>();

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
  const program = programLike(turn);
  const { child } = takePrewarmed(turn, program) ?? { child: spawnSupervisor(turn, program) };
  prewarmed.set(turn.turnId, { child, program });
  return () => {
    if (prewarmed.get(turn.turnId)?.child !== child) return;
    prewarmed.delete(turn.turnId);
    leaveSupervisor(child);
  };
}

/** A turn that is probably taken follows one of the same agent. */
function programLike(turn: TurnName): SupervisorProgram {
  if (turn.turnsDir === undefined) return "supervisor";
  try {
    const [before] = turnsBefore(turn.turnsDir, turn);
    const context = before && acpContextOf(contextOf(before));
    return context === undefined ? "supervisor" : "acp-supervisor";
  } catch {
    return "supervisor"; // the turn itself starts the other one
  }
}

/** The supervisor for a turn that is being taken: the one that waits for it, or a new one. */
export function supervisorOf(turn: TurnName, program: SupervisorProgram): SupervisorProcess {
  return takePrewarmed(turn, program)?.child ?? spawnSupervisor(turn, program);
}

/** One that waits for the turn of another agent ends. */
function takePrewarmed(turn: TurnName, program: SupervisorProgram): Prewarmed | undefined {
  const waiting = prewarmed.get(turn.turnId);
  // Where the system does not say, it stays with whoever prewarmed it, and is disposed of by them.
  const isWaiting = waiting !== undefined && isRunning(waiting.child);
  prewarmed.delete(turn.turnId);
  if (!isWaiting) return undefined;
  if (waiting.program === program) return waiting;
  leaveSupervisor(waiting.child);
  return undefined;
}

/** Whether it can still be told something: Node says only later that it has ended. */
function isRunning({ pid, exitCode, signalCode }: SupervisorProcess): boolean {
  const isKnown = pid !== undefined && exitCode === null && signalCode === null;
  return isKnown && isAlive(identityOf(pid)) !== false;
}
