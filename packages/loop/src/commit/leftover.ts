import type { Ending } from "../ending.ts";
import { INTERRUPTED } from "../ending.ts";
import { type RefusedLeftover, refusedLeftover } from "./commit-refused.ts";
import { protectedWork } from "./protected.ts";
import { marksOf, type Run } from "../run.ts";
import { formattingMessage } from "./commit-message.ts";
import { sealHead } from "../transitions.ts";
import {
  misplaced,
  seenOf,
  neverCommitted,
  uncommitted,
  takenBack,
} from "../repository/work-tree.ts";

/** Who has changed files beside the coder. */
export type Formatter = "checks" | "git hook";

const WORDS: Readonly<Record<Formatter, string>> = {
  checks: "the checks",
  "git hook": "a git hook",
};

/** A commit may run a git hook that changes files again. */
const MOST_COMMITS = 2;

/**
 * Commits what lint, a check or a git hook has left in the tree, by itself and with the trailers of the
 * cycle's commit. What is there after two commits stays, and is reported at the end.
 *
 * @returns Whether there was anything; what the coder is to fix, or an ending: it could not be committed.
 * @see SPEC.md, "What checks and git hooks change"
 */
export async function commitLeftover(
  run: Run,
  by: Formatter,
): Promise<boolean | RefusedLeftover | Ending> {
  const { repository } = run.ports;
  if (repository === undefined) return false;
  if (run.superseded !== undefined) return run.superseded;
  const { signal } = run.settings;
  const { cycle, taskBeadId } = run.state;
  const turnId = run.state.turn?.id ?? "";
  try {
    for (let commits = 0; ; commits += 1) {
      const seen = await seenOf(run, repository);
      const away = await misplaced(run, repository, seen);
      if (away !== undefined) return away;
      run.head = seen.head;
      const paths = uncommitted(run, seen);
      const own = await protectedWork(run, repository, seen);
      if ("outcome" in own) return own;
      if (paths.length === 0 && own.tree === undefined) return commits > 0;
      if (commits === MOST_COMMITS) return true;
      const made = await repository.commit({
        ...formattingMessage(run.state, run.settings.commit?.subject),
        trailers: run.settings.commit?.trailers ?? {},
        taskId: taskBeadId,
        cycle,
        turnId,
        exclude: neverCommitted(run, seen),
        tree: own.tree,
        env: marksOf(run.state),
        signal,
        seen,
      });
      run.seen = await repository.look(seen);
      if (made === undefined) return commits > 0;
      const { sha } = made;
      const gone = takenBack(sha, seen, run.seen);
      if (gone !== undefined) return gone;
      if (run.seen.head === sha) run.head = sha;
      run.state = { ...sealHead(run.state, run.seen.head), protectedPaths: own.held };
      await run.emit({ type: "committed", cycle, turnId, sha: run.seen.head, by, paths });
    }
  } catch (error) {
    if (signal?.aborted === true) return INTERRUPTED;
    // A hook that refuses may have changed files, too.
    run.seen = undefined;
    return refusedLeftover(run, error, WORDS[by]);
  }
}
