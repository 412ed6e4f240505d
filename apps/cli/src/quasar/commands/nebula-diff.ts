import { findNebula, type NebulaState, type PhaseState } from "@quasar/nebula";
import { nebulaNow } from "@quasar/nebula/internal";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { showDiff } from "../../shared/show-diff.ts";
import { standingNow } from "../nebula/standing.ts";

export interface NebulaDiffOptions {
  readonly nebula?: string | undefined;
  readonly landed?: true | undefined;
  readonly stat?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula diff`: what a phase has changed; with `--landed` what its landing changes on the branch. */
export async function nebulaDiffCommand(
  id: string,
  { nebula, landed, stat, json }: NebulaDiffOptions,
): Promise<ExitCode> {
  const { root, repositoryId } = await openWorkspace(process.cwd());
  const state = findNebula(repositoryId, nebula);
  const phase = phaseOf(state, id);
  const [from, to] = landed === true ? [phase.onto, phase.candidate] : [phase.base, phase.tip];
  if (from === "" || to === "") {
    const what =
      landed === true ? "has no candidate for a landing" : "has nothing that is approved";
    const standing = standingNow(phase, await nebulaNow(repositoryId, state));
    throw new CliError("ERR_STATE", `${cleanLine(id)} ${what} yet (${standing})`, {
      next: [`quasar nebula status ${state.id} --all`],
    });
  }
  await showDiff({ root, from, to }, { of: { phaseId: id }, stat, json });
  return EXIT.ok;
}

function phaseOf({ id: nebula, phases }: NebulaState, id: string): PhaseState {
  const found = phases.find((phase) => phase.id === id);
  if (found !== undefined) return found;
  throw new CliError("ERR_NOT_FOUND", `there is no phase ${cleanLine(id)}`, {
    next: [`quasar nebula status ${nebula} --all`],
  });
}
