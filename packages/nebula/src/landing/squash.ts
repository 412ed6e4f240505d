import type { Repository } from "@quasar/git";
import { isAncestor, resolveCommit } from "@quasar/git/history";
import { treeOfCommit } from "@quasar/git/internal";
import { commitTree, compareAndSwapRef, landingDate, openMergeFolder } from "@quasar/git/landing";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { keptSpec } from "../state/list.ts";
import { moveBranchCommand } from "../state/move-branch.ts";
import { landedPhases, notLanded, type NebulaState } from "../state/state.ts";
import { AUTHOR } from "./conflict-commit.ts";
import { squashMessage } from "./message.ts";
import { wholeTip } from "./tip.ts";

type Next = NebulaError["next"];

/** One commit of all that a nebula has landed. */
export interface Squashed {
  readonly branch: string;
  readonly sha: string;
  /** The commit that it is on. */
  readonly onto: string;
  /** Ids of the phases that have not landed: it lacks them. */
  readonly notLanded: readonly string[];
}

/**
 * Makes a branch of one commit that has the tree of the nebula's branch. That one stays as it is. The same again makes
 * the same commit.
 *
 * @param named - The commit that it is put on, which the branch has to contain: else what is in it would be undone.
 *   `undefined`: what was merged last of the base branch, else where the nebula began.
 * @throws {NebulaError} `ERR_USAGE`, `ERR_BRANCH`, `ERR_NOT_FOUND`
 */
export async function squashNebula(
  repository: Repository,
  state: NebulaState,
  named: string | undefined,
): Promise<Squashed> {
  const { root, commonDir } = repository;
  const { branch: landed, base } = state;
  if (landedPhases(state).length === 0) {
    throw new NebulaError("ERR_USAGE", `nothing of the nebula ${state.name} has landed yet`);
  }
  const tip = await wholeTip({ repository, state });
  const merged = landedPhases(state).findLast(({ merges }) => merges !== "")?.merges;
  const onto = named === undefined ? (merged ?? base) : await resolveCommit(root, named);
  if (onto === undefined) throw new NebulaError("ERR_NOT_FOUND", `there is no commit ${named}`);
  if (!(await isAncestor(root, onto, tip))) {
    const message = `${landed} does not contain ${named ?? onto}: one commit of it would undo what that has`;
    throw new NebulaError("ERR_USAGE", message, { next: stepsOnto(state, named ?? onto, named) });
  }
  const tree = await treeOfCommit(root, tip);
  if (tree === undefined) throw new NebulaError("ERR_DAMAGED", `git has no tree of ${landed}`);
  const mergeFolder = await openMergeFolder(repository);
  const sha = await commitTree(mergeFolder, {
    ...{ tree, parents: [onto], author: AUTHOR },
    message: squashMessage(state, keptSpec(commonDir, state)),
    atSeconds: await landingDate(mergeFolder, [tip]),
  });
  const branch = `${landed}-squashed`;
  const ref = `refs/heads/${branch}`;
  const swap = { ref, from: undefined, to: sha, message: "squash" };
  if ((await compareAndSwapRef(repository, swap)) === "moved") {
    const message = `there is a branch ${branch} already, with something else`;
    throw new NebulaError("ERR_BRANCH", message, {
      next: [{ shell: await moveBranchCommand(repository, branch) }, squashStep(state, named)],
    });
  }
  return { branch, sha, onto, notLanded: notLanded(state).map(({ id }) => id) };
}

/** Has the branch contain a commit before it is squashed onto that. */
function stepsOnto(state: NebulaState, onto: string, named: string | undefined): Next {
  const update = { shell: `quasar nebula update-base ${shellWord(onto)} --nebula ${state.id}` };
  const without = { ...squashStep(state, undefined), note: "on what the branch contains" };
  return [update, squashStep(state, named), ...(named === undefined ? [] : [without])];
}

function squashStep({ id }: NebulaState, named: string | undefined): Next[number] {
  const place = named === undefined ? "" : ` --onto ${shellWord(named)}`;
  return { shell: `quasar nebula squash ${id}${place}` };
}
