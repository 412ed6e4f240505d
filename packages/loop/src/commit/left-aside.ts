import { isOwnPath } from "@quasar/git/internal";
import { messageOf } from "../emitter.ts";
import { beginOfTurns } from "../state.ts";
import { isOfTurn } from "../resume/resume.ts";
import type { LoopRepository } from "../repository/repository.ts";
import type { Run } from "../run.ts";
import { isProtected, listPaths } from "./untouchable.ts";

/**
 * Work of the run that its commits do not hold, and that is nowhere in the tree where a look would find it: what was
 * stashed, and at an approval commits beside the branch and what is ignored. In words, with what brings it back.
 *
 * @see SPEC.md, "What an approval names"
 */
export async function leftAside(run: Run, isApproved: boolean): Promise<readonly string[]> {
  const { repository } = run.ports;
  const since = beginOfTurns(run.state);
  if (repository === undefined || since === undefined || run.head === "") return [];
  try {
    const stashes = await stashedWork(run, repository);
    if (!isApproved) return stashes;
    const isWanted = (action: string): boolean => isOfTurn(action, run.state);
    const commits = await repository.commitsLeftAside({ since, isWanted });
    const isOfRun = (path: string): boolean =>
      !isOwnPath(path) && !isProtected(path, run.state.untouchablePaths);
    const work = { from: run.state.baseCommitSha, to: run.head };
    const isFirst = work.from === "";
    const ignored = await repository.newlyIgnored(since, isFirst ? undefined : async () => work);
    const rules = ignored.rules.filter(isOfRun);
    const paths = ignored.paths.filter(isOfRun);
    return [
      ...commits.map(
        (sha) =>
          `Not on the branch: commit ${short(sha)}, made in this run (git show ${short(sha)}).`,
      ),
      ...stashes,
      ...(rules.length === 0
        ? []
        : [`Not committed: what ${listPaths(rules).join(", ")} ignores, itself included.`]),
      ...(paths.length === 0
        ? []
        : [
            `Not committed, as ignored: ${listPaths(paths).join(", ")} (git add --force takes it in).`,
          ]),
      ...(ignored.isCut ? ["There are more ignored files than were checked."] : []),
    ];
  } catch (error) {
    return [`What the run left beside its branch could not be read: ${messageOf(error)}`];
  }
}

/** What was stashed on a commit of the run since its first turn began: in other work trees too, which share stashes. */
export async function stashedWork(
  { head, state }: Pick<Run, "head" | "state">,
  repository: LoopRepository | undefined,
): Promise<readonly string[]> {
  const since = beginOfTurns(state);
  if (repository === undefined || since === undefined) return [];
  const own = new Set([head, state.baseCommitSha, ...state.cycleCommits]);
  const stashes = await repository.stashedSince(since);
  return stashes
    .filter(({ base }) => own.has(base))
    .map(
      ({ name, sha }) =>
        `Not committed: ${name}, stashed since the run began (git stash apply ${short(sha)}).`,
    );
}

function short(sha: string): string {
  return sha.slice(0, 12);
}
