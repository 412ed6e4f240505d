import { diffTrees } from "@quasar/git";
import { findRun, openWorkspace, RunsError } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { diffLines } from "../../shared/output/diff.ts";
import { writePaged } from "../../shared/output/pager.ts";
import { JSON_VERSION, viewOf } from "../../shared/output/reporter.ts";

export interface DiffOptions {
  readonly stat?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar diff`: what a run has committed, from where it began to where HEAD was when it saved last. */
export async function diffCommand(
  id: string | undefined,
  { stat: isShort, json }: DiffOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId, loaded } = await findRun(workspace, id);
  const { baseCommitSha: from, gitSha: to } = loaded.checkpoint;
  if (from === "" || to === "") {
    throw new RunsError("ERR_STATE", `run ${runId} knows no commits`, {
      next: [`quasar show ${runId}`],
    });
  }
  const { stat, text } = await diffTrees(workspace.root, from, to);
  const { stdout } = process;
  if (json === true) {
    stdout.write(jsonLine({ v: JSON_VERSION, type: "diff", runId, from, to, stat, text }));
    return EXIT.ok;
  }
  const lines = diffLines({ stat, text }, viewOf(stdout).paint);
  await writePaged(isShort === true && text !== "" ? lines.slice(0, lines.indexOf("")) : lines);
  return EXIT.ok;
}
