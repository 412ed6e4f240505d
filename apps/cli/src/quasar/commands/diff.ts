import { countChanges, diffTrees, GitError, resolveCommit } from "@quasar/git";
import { findRun, openWorkspace, RunsError } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { ALL_FILES, fileLines } from "../../shared/output/changes.ts";
import { diffLines } from "../../shared/output/diff.ts";
import { writePaged } from "../../shared/output/pager.ts";
import { JSON_VERSION, viewOf } from "../../shared/output/reporter.ts";
import type { DiffLine } from "../schemas/diff.ts";

export interface DiffOptions {
  readonly stat?: true | undefined;
  readonly json?: true | undefined;
}

/** Two commits of a run, and the repository that has them. */
interface Span {
  readonly root: string;
  readonly runId: string;
  readonly from: string;
  readonly to: string;
}

/** `quasar diff`: what a run has committed, from where it began to where HEAD was when it saved last. */
export async function diffCommand(
  id: string | undefined,
  { stat, json }: DiffOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId, loaded } = await findRun(workspace, id);
  const { root } = workspace;
  const { baseCommitSha: from, gitSha: to } = loaded.checkpoint;
  if (from === "" || to === "") throw unknown(runId, `run ${runId} knows no commits`);
  const span = { root, runId, from, to };
  const shown = stat === true ? await filesOf(span) : await textOf(span);
  if (json === true) {
    const facts = { runId, from, to, ...shown.facts };
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "diff", ...facts } satisfies DiffLine));
  } else {
    await writePaged(shown.lines);
  }
  return EXIT.ok;
}

interface Shown {
  readonly facts: Pick<DiffLine, "files" | "stat" | "text">;
  readonly lines: readonly string[];
}

async function filesOf(span: Span): Promise<Shown> {
  const files = await countChanges(span.root, span.from, span.to).catch(gone(span));
  const lines = files.length === 0 ? ["nothing has changed"] : fileLines(files, ALL_FILES);
  return { facts: { files }, lines };
}

async function textOf(span: Span): Promise<Shown> {
  const diff = await diffTrees(span.root, span.from, span.to).catch(gone(span));
  return { facts: diff, lines: diffLines(diff, viewOf(process.stdout).paint) };
}

/** Says of a failure that it is the commits which git has no more, where they are. */
function gone({ root, runId, from, to }: Span): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof GitError)) throw error;
    for (const sha of [from, to]) {
      if ((await resolveCommit(root, sha)) !== undefined) continue;
      throw unknown(runId, `git has commit ${sha.slice(0, 10)} of run ${runId} no more`);
    }
    throw error;
  };
}

function unknown(runId: string, message: string): RunsError {
  return new RunsError("ERR_STATE", message, { next: [`quasar show ${runId}`] });
}
