import type { Checkpoint } from "@quasar/checkpoint";
import type { Commit } from "@quasar/git";
import { isLine, isMarked, isOfTurn } from "./resume.ts";

/** Whose the commits are that came after a checkpoint. */
export interface Since {
  /** They carry the run's trailers: the loop made them of a coder's work. */
  readonly marked: readonly Commit[];
  /** The run's agents made them themselves, as the reflog says. */
  readonly unmarked: readonly Commit[];
  /** Somebody else made them. */
  readonly foreign: readonly Commit[];
  /** Whether none is foreign, and all are in one line from the checkpoint's commit. */
  readonly whole: boolean;
}

/**
 * @param commits - What is in HEAD's past and not in that of the checkpoint's commit, oldest first.
 * @param actions - What brought HEAD to a commit, by its id.
 */
export function commitsOfRun(
  checkpoint: Pick<Checkpoint, "runId" | "taskBeadId" | "gitSha">,
  commits: readonly Commit[],
  actions: ReadonlyMap<string, string>,
): Since {
  const marked = commits.filter((commit) => isMarked(commit, checkpoint));
  const others = commits.filter((commit) => !marked.includes(commit));
  const isByAgent = ({ sha }: Commit): boolean => isOfTurn(actions.get(sha), checkpoint);
  const unmarked = others.filter(isByAgent);
  const foreign = others.filter((commit) => !isByAgent(commit));
  const whole = foreign.length === 0 && isLine(checkpoint.gitSha, commits);
  return { marked, unmarked, foreign, whole };
}
