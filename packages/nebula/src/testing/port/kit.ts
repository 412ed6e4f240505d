import type { NebulaState } from "../../state/state.ts";
import type { NebulaPort } from "../../port/port.ts";

/** What the suite needs of an adapter under test, for one test. */
export interface PortKit {
  /** The port; another one after a restart. */
  readonly port: NebulaPort;
  /** The port as another process has it. */
  second(): NebulaPort;
  /** Lets time pass for the leases, in milliseconds. */
  pass(ms: number): Promise<void>;
  /** Sets the clock of the leases forward, or back. */
  jump(ms: number): Promise<void>;
  /** Ends whatever keeps the nebulae, without a warning, and starts it again. */
  restart(): Promise<void>;
  /** Makes ready what a nebula with this state has beside it. @returns The state to begin with. */
  prepare(state: NebulaState): NebulaState;
}
