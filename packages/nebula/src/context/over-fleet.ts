import type { Came } from "./came.ts";
import type { PhaseState } from "../state/state.ts";
import type { Phase } from "../state/schedule.ts";
import type { Engine } from "./context.ts";

/**
 * What an engine has done elsewhere where several machines work on a nebula: it schedules, merges and verifies as ever, in a
 * repository of its own, of which the others see what is pushed.
 */
export interface OverFleet {
  /**
   * Takes each state that was saved here, also with an event that was only noted, which the others are to have: before an
   * attempt is offered and before the branch moves they have it. Must not throw.
   */
  saved(text: Uint8Array): void;
  /** Has a worker, on any machine, carry out the run of a phase that has begun, until it has come to something. */
  attempt(engine: Engine, phase: Phase): Promise<Came>;
  /**
   * Ends what waits for attempts, as interrupted: the engine ends because of an error. Their workers continue, and what comes
   * of them is for the next engine.
   */
  leave(): void;
  /**
   * Moves the branch where all see it: here it moves afterwards.
   *
   * @returns Whether it was where the landing has to find it, and nobody has decided about the phase meanwhile.
   */
  moveBranch(
    engine: Engine,
    landing: Pick<PhaseState, "id" | "onto" | "candidate">,
  ): Promise<boolean>;
  /** Leaves what people and workers have said since where the engine takes it from. */
  collect(engine: Engine): Promise<void>;
}
