import type { NebulaStatus, Offer } from "../port/index.ts";
import { decodeSaved } from "../state/codec.ts";
import type { NebulaState } from "../state/state.ts";

/** The state of a nebula as the server has it. @throws {NebulaError} `ERR_DAMAGED`, `ERR_INCOMPATIBLE_VERSION` */
export function stateOf({ state }: Pick<NebulaStatus, "state">): NebulaState {
  return decodeSaved(Buffer.from(state)).state;
}

/** Whether a run is one that a state has worked on. */
export function isRunning(
  { phases }: Pick<NebulaState, "phases">,
  { work, runId }: Pick<Offer, "work" | "runId">,
): boolean {
  return phases.some(
    (phase) => phase.status === "running" && phase.ref === work && phase.runId === runId,
  );
}
