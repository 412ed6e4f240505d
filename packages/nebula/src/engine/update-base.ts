import type { Repository } from "@quasar/git";
import { refSha } from "@quasar/git/history";
import { haveCommonPast, isShallow } from "@quasar/git/landing";
import { cleanLine } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { leaveRequest, MOST_NAME } from "../people/requests.ts";
import { type BaseUpdate, replacedBase, takeBase } from "../people/take-base.ts";
import { withNotesTaken } from "../people/take-notes.ts";
import { nebulaHome, refsOf } from "../state/home.ts";
import { lockUnlessEngine } from "../state/lock.ts";
import type { NebulaState } from "../state/state.ts";
import { requireState } from "../state/store.ts";

/** Of an engine whose lane cannot be seen. */
const UNSEEN: ReadonlySet<string> = new Set();

/**
 * Has a commit of the base branch merged into a nebula's branch, by a phase of its own that lands as any other does:
 * `base-<n>`. One that waits takes the new commit instead; after one that lands the new commit lands, too.
 *
 * @returns The phase, approved and in the queue; `left`: an engine works on the nebula, which takes it within a second.
 * @throws {NebulaError} `ERR_UNFINISHED` while agents work on an update of the base; `ERR_BRANCH` where git cannot merge it,
 *   since it and the branch have no commit in common; `ERR_USAGE` where the nebula is archived, and for a name of over 1,024
 *   characters.
 */
export async function updateBase(
  repository: Repository,
  state: NebulaState,
  update: BaseUpdate,
): Promise<{ readonly kind: "done"; readonly phase: string } | { readonly kind: "left" }> {
  if (update.name.length > MOST_NAME) {
    throw new NebulaError("ERR_USAGE", `a commit's name has at most ${MOST_NAME} characters`);
  }
  await requireCommonPast(repository, state, update);
  const home = nebulaHome(repository.commonDir, state.id);
  const held = { repository, signal: new AbortController().signal };
  // Whatever becomes of the branch it is on, the commit is kept from `gc` before anything names it.
  await holdRef(held, refsOf(state.id).merged(update.commit), update.commit);
  const lock = lockUnlessEngine(home);
  if (lock === undefined) {
    replacedBase(requireState(home), UNSEEN);
    leaveRequest(home, { kind: "base", ...update }, new Date());
    return { kind: "left" };
  }
  const phase = withNotesTaken({ home, lock }, (taker) => {
    takeBase(taker, update);
    const { phases } = taker.store.current;
    return phases.findLast(({ merges }) => merges === update.commit)?.id ?? "";
  });
  return { kind: "done", phase };
}

/** @throws {NebulaError} `ERR_BRANCH` */
async function requireCommonPast(
  repository: Repository,
  { branch, base }: NebulaState,
  { commit, name }: BaseUpdate,
): Promise<void> {
  const { root } = repository;
  const tip = (await refSha(root, `refs/heads/${branch}`)) ?? base;
  if ((await haveCommonPast(root, tip, commit)) !== false) return;
  const what = `${cleanLine(name)} (${commit.slice(0, 10)})`;
  const message = `${what} cannot be merged: it and ${branch} have no commit in common`;
  const isCutOff = await isShallow(repository);
  const fetched = { shell: "git fetch --unshallow", note: "the history of this clone is cut off" };
  const shown = { shell: `git branch --contains ${base.slice(0, 10)}` };
  throw new NebulaError("ERR_BRANCH", message, { next: [isCutOff ? fetched : shown] });
}
