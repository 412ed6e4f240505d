import type { NebulaState } from "@quasar/nebula";
import { chooseNebula, engineOf, namedNebulae, nebulaHome } from "@quasar/nebula/internal";
import { suggestion } from "@quasar/runs/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { withRemark } from "../../shared/remark.ts";
import { answer } from "./outcome.ts";

/** What a command about one phase needs to know which nebula is meant. */
export interface PhaseChoice {
  /** `retry` */
  readonly command: string;
  /** The phase's id. */
  readonly phase: string;
  /** Whether the command has a meaning for the phase in a nebula. */
  readonly isFor: (state: NebulaState) => boolean;
}

/**
 * The nebula of a phase: the one that was named, else of those that are unfinished the only one that has the phase, or
 * the only one in which the command has a meaning for it.
 *
 * @throws {CliError} `ERR_NOT_FOUND` where none of several has it.
 * @throws {NebulaError} as `chooseNebula`
 */
export function nebulaOfPhase(
  commonDir: string,
  named: string | undefined,
  { command, phase, isFor }: PhaseChoice,
): NebulaState {
  const all = namedNebulae(commonDir, named);
  const has = ({ phases }: NebulaState): boolean => phases.some(({ id }) => id === phase);
  if (all.length > 1 && !all.some(has)) throw noPhaseOf(all, phase);
  return chooseNebula(commonDir, named, {
    step: (id) => answer(command, phase, id),
    isFor,
    prefers: [has],
  });
}

function noPhaseOf(nebulae: readonly NebulaState[], phase: string): CliError {
  const ids = nebulae.flatMap(({ phases }) => phases.map(({ id }) => id));
  const message = `no unfinished nebula has a phase ${cleanLine(phase)}${suggestion(phase, ids)}`;
  const next = nebulae.map(({ id, name }) =>
    withRemark(`quasar nebula status ${id} --all`, fit(cleanLine(name), 40)),
  );
  return new CliError("ERR_NOT_FOUND", message, { next });
}

/** Whether an engine works on a nebula. */
export function hasEngine(commonDir: string): (state: Pick<NebulaState, "id">) => boolean {
  return ({ id }) => engineOf(nebulaHome(commonDir, id)) !== undefined;
}
