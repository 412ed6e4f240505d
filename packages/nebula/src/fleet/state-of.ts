import type { NebulaStatus } from "../port/index.ts";
import { decodeSaved } from "../state/codec.ts";
import type { NebulaState } from "../state/state.ts";

/** The state of a nebula as the server has it. @throws {NebulaError} `ERR_DAMAGED`, `ERR_INCOMPATIBLE_VERSION` */
export function stateOf({ state }: Pick<NebulaStatus, "state">): NebulaState {
  return decodeSaved(Buffer.from(state)).state;
}
