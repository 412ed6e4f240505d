import type { Repository } from "@quasar/git";
import { compareAndSwapRef, readRef } from "@quasar/git/landing";
import { removeRefs } from "@quasar/git/snapshots";
import { nebulaHome } from "../state/home.ts";
import { listNebulae } from "../state/list.ts";
import type { NebulaState } from "../state/state.ts";
import { lockNebula, withState } from "../state/lock.ts";

/**
 * Makes room for another nebula in the place of one: it is archived, and its branch is kept under a name of its own. Nothing
 * of it is removed.
 *
 * @returns The branch that has what it landed.
 * @throws {NebulaError} `ERR_LOCKED`
 */
export async function archiveNebula(repository: Repository, state: NebulaState): Promise<string> {
  const home = nebulaHome(repository.commonDir, state.id);
  const branch = `${state.branch}.${state.id}`;
  withState({ home, state, lock: lockNebula(home) }, (store) => {
    if (store.current.archivedFrom === "") store.archive(branch);
  });
  await freeBranches(repository);
  return branch;
}

/** Has the branches of archived nebulae their own names, also where a crash came between. */
export async function freeBranches(repository: Repository): Promise<void> {
  const { root, commonDir } = repository;
  const all = listNebulae(commonDir);
  const used = new Set(
    all.filter(({ archivedFrom }) => archivedFrom === "").map(({ branch }) => branch),
  );
  for (const { archivedFrom, branch, ownsBranch, base } of all) {
    if (archivedFrom === "" || used.has(archivedFrom)) continue;
    const [from, to] = [`refs/heads/${archivedFrom}`, `refs/heads/${branch}`];
    const at = await readRef(repository, from);
    if (at === undefined || (!ownsBranch && at !== base)) continue;
    const kept = await readRef(repository, to);
    if (kept === undefined) {
      await compareAndSwapRef(repository, {
        ref: to,
        from: undefined,
        to: at,
        message: "archived",
      });
    } else if (kept !== at) {
      continue; // somebody else has a branch of that name
    }
    await removeRefs(root, [{ ref: from, sha: at }]);
  }
}
