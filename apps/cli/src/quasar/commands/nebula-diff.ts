import type { NebulaState, PhaseState } from "@quasar/nebula";
import { nebulaNow, noPhase, pathsSinceApproval } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { showDiff, type Span } from "../../shared/show-diff.ts";
import { nebulaOfPhase } from "../nebula/choose.ts";
import { standingNow } from "../nebula/standing.ts";

export interface NebulaDiffOptions {
  readonly nebula?: string | undefined;
  readonly landed?: true | undefined;
  readonly sinceApproval?: true | undefined;
  readonly stat?: true | undefined;
  readonly json?: true | undefined;
}

/**
 * `quasar nebula diff`: what a phase has changed; with `--landed` what its landing changes on the branch, with
 * `--since-approval` what is different from when a person approved it.
 */
export async function nebulaDiffCommand(
  id: string,
  { nebula, landed, sinceApproval, stat, json }: NebulaDiffOptions,
): Promise<ExitCode> {
  if (landed === true && sinceApproval === true) {
    throw new CliError("ERR_USAGE", "--landed or --since-approval, not both", {
      next: [`quasar nebula diff ${shellWord(id)} --since-approval`],
    });
  }
  const workspace = await openWorkspace(process.cwd());
  const { root, repositoryId } = workspace;
  const state = nebulaOfPhase(repositoryId, nebula, {
    ...{ command: "diff", phase: id },
    isFor: ({ phases }) => phases.some((each) => each.id === id && each.tip !== ""),
  });
  const phase = phaseOf(state, id);
  const how = { of: { phaseId: id }, stat, json };
  if (sinceApproval === true) {
    await showDiff(await spanSinceApproval(workspace, state, phase), how);
    return EXIT.ok;
  }
  const [from, to] = landed === true ? [phase.onto, phase.candidate] : [phase.base, phase.tip];
  if (from === "" || to === "") {
    const what =
      landed === true ? "has no candidate for a landing" : "has nothing that is approved";
    const standing = standingNow(phase, await nebulaNow(repositoryId, state));
    throw new CliError("ERR_STATE", `${cleanLine(id)} ${what} yet (${standing})`, {
      next: [`quasar nebula status ${state.id} --all`],
    });
  }
  await showDiff({ root, from, to }, how);
  return EXIT.ok;
}

/** Of the files by which a change differs from the one that was approved: as they would have been then, and now. */
async function spanSinceApproval(
  workspace: Workspace,
  { id: nebula }: NebulaState,
  phase: PhaseState,
): Promise<Span> {
  const { id, approvedCandidate: from, candidate: to } = phase;
  const paths = await pathsSinceApproval(repositoryOf(workspace), phase);
  if (paths.length > 0) return { root: workspace.root, from, to, paths };
  throw new CliError("ERR_STATE", `${cleanLine(id)} has no other change than a person approved`, {
    next: [`quasar nebula diff ${shellWord(id)} --nebula ${nebula}`],
  });
}

function phaseOf(state: NebulaState, id: string): PhaseState {
  const found = state.phases.find((phase) => phase.id === id);
  if (found !== undefined) return found;
  throw noPhase(state, id);
}
