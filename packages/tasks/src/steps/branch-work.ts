import { type Commit, inspectRepository, type RepositoryFacts } from "@quasar/git";
import { isOwnPath } from "@quasar/git/internal";
import { plainLine, shellWord, shortSha } from "../plain.ts";
import { type ControlsInput, controlsObstacle } from "../git-controls.ts";
import type { StepInput } from "./step.ts";

/** What lies in a task's work tree and on its branch. */
export interface BranchWork {
  readonly head: string;
  /** Of the branch since it began, oldest first; `undefined` where that is not to be known. */
  readonly commits: readonly Commit[] | undefined;
  /** Whether something is not committed. */
  readonly isDirty: boolean;
  /** Why nothing must be committed or pushed here, and what to do about it; for a person. */
  readonly obstacle: string | undefined;
}

/** Looks at a task's work tree; nothing that the repository names runs. */
export async function lookAtBranch(
  input: Pick<StepInput, "task"> & ControlsInput,
  signal: AbortSignal,
): Promise<BranchWork> {
  const { task, worktree } = input;
  const { baseSha, branch } = task.metadata;
  const controlled = await controlsObstacle(input);
  const facts = await inspectRepository(worktree, { since: baseSha, signal });
  return {
    head: facts.head,
    commits: UNKNOWN.has(facts.relation) ? undefined : facts.commits,
    isDirty: facts.dirty.some(({ path }) => !isOwnPath(path)),
    obstacle: controlled ?? obstacleTo(facts, branch),
  };
}

const UNKNOWN: ReadonlySet<RepositoryFacts["relation"]> = new Set([
  "unknown-commit",
  "commit-lost",
  "unborn",
  "bare",
]);

/** An agent may have gone to another branch: its work must not be put on that one. */
function obstacleTo(
  { operation, branch, head, isUnborn }: RepositoryFacts,
  wanted: string,
): string | undefined {
  if (head === "" && !isUnborn) {
    return "HEAD names no readable commit: see git fsck, then atlas retry";
  }
  if (operation !== undefined && operation !== "bisect") {
    return `a ${operation} is in progress: finish or abort it, then atlas retry`;
  }
  if ((branch ?? "") === wanted) return undefined;
  const place = branch === undefined ? "no branch" : `the branch ${plainLine(branch, 100)}`;
  return wanted === ""
    ? `HEAD is on ${place}, and the task began on none: git switch --detach, then atlas retry`
    : `HEAD is on ${place}, not on the task's: git switch ${shellWord(wanted)}, then atlas retry`;
}

/** One line that names the commits of a task. */
export function commitsLine(commits: readonly Commit[]): string {
  const last = commits.at(-1);
  if (last === undefined) return "the branch has no commit of its own";
  const count = commits.length === 1 ? "1 commit" : `${commits.length} commits`;
  return `${count}, the last ${shortSha(last.sha)} ${JSON.stringify(plainLine(last.subject, 72))}`;
}
