import type { Repository } from "@quasar/git";
import { isAncestor } from "@quasar/git/history";
import { compareAndSwapRef, readRef, workTreesOn } from "@quasar/git/landing";
import { removeRefs } from "@quasar/git/snapshots";
import { NebulaError } from "../errors.ts";
import { leavesBranch } from "../landing/obstacle.ts";
import { nebulaHome } from "../state/home.ts";
import { listNebulae } from "../state/list.ts";
import { lockNebula } from "../state/lock.ts";
import { moveBranchCommand } from "../state/move-branch.ts";
import { landedPhases, type NebulaState } from "../state/state.ts";
import { openState, type StateStore } from "../state/store.ts";

/** A nebula in whose place another one begins. Its lock is held until it is closed. */
export interface Replaced {
  readonly id: string;
  /** The branch that gets another name; `undefined`: it has none. */
  readonly branch: string | undefined;
  /** Archives it: nothing works on it any more, and its branch is `<branch>.<id>`. Nothing of it is removed. */
  archive(): Promise<void>;
  close(): void;
}

/**
 * Has nothing work on a nebula while another one is begun in its place.
 *
 * @throws {NebulaError} `ERR_LOCKED`; `ERR_BRANCH` where its branch cannot be renamed. Nothing was changed.
 */
export async function openReplaced(repository: Repository, state: NebulaState): Promise<Replaced> {
  const { store, close } = openLocked(repository, state);
  try {
    const tip = await ownTip(repository, store.current);
    return {
      id: state.id,
      branch: tip === "" ? undefined : state.branch,
      async archive() {
        store.archive(keptName(state), tip);
        await renameBranch(repository, store);
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Gives branches the names of archived nebulae where a crash came between. */
export async function finishArchiving(repository: Repository): Promise<void> {
  for (const state of listNebulae(repository.commonDir)) {
    if (state.archivedTip === "") continue;
    const { store, close } = openLocked(repository, state);
    try {
      await renameBranch(repository, store);
    } finally {
      close();
    }
  }
}

function openLocked(
  { commonDir }: Repository,
  state: NebulaState,
): { readonly store: StateStore; readonly close: () => void } {
  const home = nebulaHome(commonDir, state.id);
  const lock = lockNebula(home);
  try {
    const store = openState(home, () => new Date());
    return {
      store,
      close() {
        store.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Where the branch of a nebula is; `""`: it has none. @throws {NebulaError} `ERR_BRANCH` where it cannot be renamed. */
async function ownTip(repository: Repository, state: NebulaState): Promise<string> {
  const { id, branch, base, ownsBranch } = state;
  const at = await readRef(repository, `refs/heads/${branch}`);
  if (at === undefined || (!ownsBranch && at !== base)) return "";
  const isOfOther = (other: NebulaState): boolean =>
    other.id !== id && other.branch === branch && other.archivedFrom === "" && other.ownsBranch;
  if (listNebulae(repository.commonDir).some(isOfOther)) return "";
  const landed = landedPhases(state).at(-1)?.candidate ?? base;
  if (!(await isAncestor(repository, landed, at))) {
    const message = `the branch ${branch} does not contain what the nebula has landed`;
    const next = [{ shell: await moveBranchCommand(repository, branch) }];
    throw new NebulaError("ERR_BRANCH", message, { next });
  }
  await requireUnused(repository, branch);
  const kept = keptName(state);
  const there = await readRef(repository, `refs/heads/${kept}`);
  if (there === undefined || there === at) return at;
  throw await takenError(repository, kept);
}

async function takenError(repository: Repository, kept: string): Promise<NebulaError> {
  return new NebulaError("ERR_BRANCH", `there is a branch ${kept} already`, {
    next: [{ shell: await moveBranchCommand(repository, kept) }],
  });
}

function keptName({ id, branch }: NebulaState): string {
  return `${branch}.${id}`;
}

/** @throws {NebulaError} `ERR_BRANCH` where a work tree has it checked out: git renames none under its files. */
async function requireUnused(repository: Repository, branch: string): Promise<void> {
  const [tree] = await workTreesOn(repository, branch);
  if (tree === undefined) return;
  const message = `the branch ${branch} cannot be renamed while it is in use in ${tree.path}`;
  throw new NebulaError("ERR_BRANCH", message, { next: [{ shell: leavesBranch(tree) }] });
}

/**
 * What archiving a nebula does to its branch, once: what a person does with its names later is theirs.
 *
 * @throws {NebulaError} `ERR_BRANCH` where the new name is that of a branch without what has landed, or the old one is in use.
 */
async function renameBranch(repository: Repository, store: StateStore): Promise<void> {
  const { archivedFrom, archivedTip: tip, branch } = store.current;
  if (tip === "") return;
  const [from, to] = [`refs/heads/${archivedFrom}`, `refs/heads/${branch}`];
  const isThere = (await readRef(repository, from)) === tip;
  if (isThere) await requireUnused(repository, archivedFrom);
  const made = { ref: to, from: undefined, to: tip, message: "archived" };
  if ((await compareAndSwapRef(repository, made)) === "moved") {
    const at = await readRef(repository, to);
    const isKept = at !== undefined && (await isAncestor(repository, tip, at));
    if (!isKept) throw await takenError(repository, branch);
  }
  if (isThere) await removeRefs(repository.root, [{ ref: from, sha: tip }]);
  store.branchRenamed();
}
