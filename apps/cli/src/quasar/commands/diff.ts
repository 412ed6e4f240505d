import { GitError } from "@quasar/git";
import { resolveCommit } from "@quasar/git/history";
import { findRun } from "@quasar/runs/internal";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { workspaceOfRun } from "../nebula/phase-run.ts";
import { showDiff, type Span } from "../../shared/show-diff.ts";

export interface DiffOptions {
  readonly stat?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar diff`: what a run has committed, from where it began to where HEAD was when it saved last. */
export async function diffCommand(
  id: string | undefined,
  { stat, json }: DiffOptions,
): Promise<ExitCode> {
  const workspace = await workspaceOfRun(id);
  const { id: runId, loaded } = await findRun(workspace, id);
  const { root } = workspace;
  const { baseCommitSha: from, gitSha: to } = loaded.checkpoint;
  if (from === "" || to === "") throw unknown(runId, `run ${runId} knows no commits`);
  const span = { root, from, to };
  await showDiff(span, { of: { runId }, stat, json }).catch(gone(runId, span));
  return EXIT.ok;
}

/** Says of a failure that it is the commits which git has no more, where they are. */
function gone(runId: string, { root, from, to }: Span): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof GitError)) throw error;
    for (const sha of [from, to]) {
      if ((await resolveCommit(root, sha)) !== undefined) continue;
      throw unknown(runId, `git has commit ${sha.slice(0, 10)} of run ${runId} no more`);
    }
    throw error;
  };
}

function unknown(runId: string, message: string): CliError {
  return new CliError("ERR_STATE", message, { next: [`quasar show ${runId}`] });
}
