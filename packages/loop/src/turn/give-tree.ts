import { namedChecks } from "../checks/checks-named.ts";
import type { Ending } from "../ending.ts";
import type { Run } from "../run.ts";
import { checkAgain } from "../transitions.ts";
import { undoReviewer } from "./undo.ts";
import { listPaths } from "../commit/untouchable.ts";
import { gitEnding, seenOf, treeOf, uncommitted } from "../repository/work-tree.ts";

/**
 * Notes the tree that a reviewer is about to be given: that of HEAD, on which the checks have run.
 *
 * @param isAgain - A reviewer has had it before: what differs is what that one has changed.
 * @returns `unchecked`: the checks come first, for they have not run on it.
 */
export async function giveTree(
  run: Run,
  isAgain: boolean,
): Promise<Ending | "unchecked" | undefined> {
  const { repository } = run.ports;
  if (repository === undefined || !run.runKind.isLoop) return undefined;
  if (isAgain) {
    const ending = await undoReviewer(run);
    if (ending !== undefined) return ending;
  }
  try {
    const paths = uncommitted(run, await seenOf(run, repository));
    if (paths.length > 0) return unsettled(paths);
    const tree = await treeOf(run, repository);
    const { checkedTree, checkedWith } = run.state;
    const isOther = checkedTree !== "" && checkedTree !== tree;
    if (isOther || checkedWith !== namedChecks(run.settings)) {
      run.state = checkAgain(run.state);
      return "unchecked";
    }
    run.state = { ...run.state, reviewedTree: tree };
    run.hiddenGiven = await repository.controls.hidden();
    return undefined;
  } catch (error) {
    return gitEnding("the tree to be reviewed could not be read", error);
  }
}

function unsettled(paths: readonly string[]): Ending {
  const list = listPaths(paths).join(", ");
  const message = `these files are not as they were committed, and change whenever they are: ${list}`;
  return { outcome: "work-tree", message };
}
