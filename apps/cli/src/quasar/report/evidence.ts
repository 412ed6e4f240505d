import type { Redactor } from "@quasar/agents/environment";
import { GitError } from "@quasar/git";
import { diffTrees, resolveCommit } from "@quasar/git/history";
import type { ChangeDiff } from "@quasar/page";
import {
  readTranscript,
  redactTranscript,
  type RunFacts,
  type TranscriptFacts,
} from "@quasar/runs/facts";
import type { RunFolders } from "@quasar/runs/internal";

/** A run whose transcripts a page shows. */
export interface RunToShow {
  readonly run: RunFacts;
  readonly folders: RunFolders;
}

/** What the agents of runs said and did, without secrets. */
export async function transcriptsOf(
  runs: readonly RunToShow[],
  redact: Redactor,
): Promise<readonly TranscriptFacts[]> {
  const found: TranscriptFacts[] = [];
  for (const { run, folders } of runs) {
    for (const { turnId } of run.turns.filter((turn) => turn.turnId !== "")) {
      found.push(redactTranscript(await readTranscript(folders, turnId), redact));
    }
  }
  return found;
}

/** A commit whose change a page shows. */
export interface CommitToShow {
  readonly sha: string;
  /** What it is compared with. @default the commit before it */
  readonly from?: string | undefined;
}

/** What commits changed, without secrets; of those that git still has. */
export async function diffsOf(
  root: string,
  commits: readonly CommitToShow[],
  redact: Redactor,
): Promise<readonly ChangeDiff[]> {
  const found: ChangeDiff[] = [];
  for (const { sha, from: given } of commits) {
    const from = given ?? (await resolveCommit(root, `${sha}^`));
    const text = from === undefined ? undefined : await textOf(root, from, sha);
    if (from !== undefined && text !== undefined) found.push({ sha, from, text: redact(text) });
  }
  return found;
}

async function textOf(root: string, from: string, to: string): Promise<string | undefined> {
  try {
    return (await diffTrees(root, from, to)).text;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return undefined;
  }
}
