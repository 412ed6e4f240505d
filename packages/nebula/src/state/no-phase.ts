import { suggestion } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import type { NebulaState } from "./state.ts";

/** That a nebula has no phase of an id, and which may be meant. */
export function noPhase(
  { id: nebula, phases }: Pick<NebulaState, "id" | "phases">,
  id: string,
): NebulaError {
  const meant = suggestion(
    id,
    phases.map((phase) => phase.id),
  );
  const message = `there is no phase ${cleanLine(id)}${meant}`;
  const next = [{ shell: `quasar nebula status ${nebula} --all` }];
  return new NebulaError("ERR_NOT_FOUND", message, { next });
}
