import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Repository } from "@quasar/git";
import { isAncestor } from "@quasar/git/history";
import { gitDirAt, headAndChanges } from "@quasar/git/internal";
import {
  addDetachedWorkTree,
  checkOutCommit,
  openLinkedWorkTree,
  quarantineRepositories,
  removeDetachedWorkTree,
  removeUnfinishedWorkTree,
  removeUntracked,
  unpushedSubmodules,
  repairWorkTrees,
} from "@quasar/git/landing";
import { listWorktrees } from "@quasar/git/work-trees";
import { messageOf } from "@quasar/runs/internal";
import { freeGitLocks } from "@quasar/runs/tree";
import { takeSnapshot } from "@quasar/git/snapshots";
import { NebulaError } from "../errors.ts";
import { branchTip, type Engine } from "../context/context.ts";
import { bringBackCommand } from "../state/bring-back.ts";
import { refsOf } from "../state/home.ts";
import { note } from "../state/report.ts";
import type { PhaseState } from "../state/state.ts";
import { copyFiles } from "./copy-files.ts";
import { removeEmptyFolders } from "./place.ts";
import { forgetSetUp, setUp, type SetUpOptions } from "./set-up.ts";

/** The work tree in which candidates are verified: one for each nebula. */
export const VERIFY_TREE = "verify";

/** Absolute path of the work tree of a phase, or of {@link VERIFY_TREE}. */
export function treePath({ trees }: Pick<Engine, "trees">, name: string): string {
  return join(trees, name);
}

/**
 * Makes the work trees whole that a crash has left half made, and usable by git. What else is in their folder is moved
 * aside and told.
 */
export async function repairTrees({ repository, trees, signal, tell }: Engine): Promise<void> {
  const { quarantined } = await repairWorkTrees(repository, trees, { signal });
  for (const path of quarantined) {
    tell({
      type: "warning",
      message: `files that are no work tree of the repository are kept in ${path}`,
    });
  }
  const known = await listWorktrees(repository.root, { signal });
  for (const { path } of known.filter((tree) => dirname(tree.path) === trees)) {
    await freeGitLocks(await openLinkedWorkTree(repository, path, { signal }));
  }
}

/** What a work tree is made for. */
export interface TreeOptions {
  readonly name: string;
  /** The commit at which it is made, where it is not there. */
  readonly commit: string;
  readonly setup: SetUpOptions;
}

/** Makes sure that there is a work tree of this name, and that it is set up. @throws {NebulaError} `ERR_SETUP` */
export async function openTree(
  engine: Engine,
  { setup, ...options }: TreeOptions,
): Promise<Repository> {
  const { tree } = await findOrMake(engine, options);
  await setUp(engine, tree, setup);
  return tree;
}

/** @returns Whether it was made: it holds its commit then, and the user's files that are copied. */
async function findOrMake(
  engine: Engine,
  { name, commit }: Omit<TreeOptions, "setup">,
): Promise<{ readonly tree: Repository; readonly isMade: boolean }> {
  const path = treePath(engine, name);
  const { repository, signal } = engine;
  if (name === VERIFY_TREE) await removeBroken(repository, path);
  await removeUnfinishedWorkTree(repository, path, { signal });
  const prepare = () => copyUserFiles(engine, name);
  const isMade = !existsSync(path);
  const tree = isMade
    ? await addDetachedWorkTree(repository, { path, commit, prepare, signal })
    : await openLinkedWorkTree(repository, path, { signal });
  if (tree.commonDir !== repository.commonDir || tree.root !== path) {
    const message = `${path} is no work tree of the repository any more`;
    const next = [{ note: "resume the nebula: it keeps what is there under another name" }];
    throw new NebulaError("ERR_DAMAGED", message, { next });
  }
  return { tree, isMade };
}

/** A command of a verification may have removed what git has there: the rest is nobody's work. */
async function removeBroken({ commonDir }: Repository, path: string): Promise<void> {
  const gitDir = await gitDirAt(path);
  const isOurs = gitDir !== undefined && dirname(gitDir) === join(commonDir, "worktrees");
  if (!isOurs) rmSync(path, { recursive: true, force: true });
}

/** Has a work tree hold a commit and nothing else but what git ignores; that neither where `isEmptied`. */
export async function moveTree(
  engine: Engine,
  options: TreeOptions & { readonly isEmptied?: boolean | undefined },
): Promise<Repository> {
  const { tree, isMade } = await findOrMake(engine, options);
  if (!isMade) await holdOnly(engine, tree, options);
  await setUp(engine, tree, options.setup);
  return tree;
}

async function holdOnly(
  engine: Engine,
  tree: Repository,
  { name, commit, isEmptied: ignored = false }: Parameters<typeof moveTree>[1],
): Promise<void> {
  const { signal } = engine;
  // Of a command or an agent that was ended while git wrote.
  await freeGitLocks(tree);
  await checkOutCommit(tree, commit, { signal });
  if (ignored) forgetSetUp(tree);
  const left = await quarantineRepositories(tree.root, { signal });
  if (left !== undefined) {
    forgetSetUp(tree);
    leave(engine, name, left);
  }
  await removeUntracked(tree.root, { ignored, signal });
  if (ignored) await copyUserFiles(engine, name);
}

/** Copies the user's files into a work tree; the journal keeps what was left out in that of a phase. */
async function copyUserFiles(engine: Engine, name: string): Promise<void> {
  const { repository, spec, signal, store, tell } = engine;
  const phase = store.current.phases.find(({ ref }) => ref === name)?.id;
  const warn = (message: string): void => {
    if (phase === undefined) tell({ type: "warning", message });
    else note(engine, { type: "warning", phase, message });
  };
  await copyFiles({ repository, spec, signal, warn }, treePath(engine, name));
}

/** What commands have left in the tree of the verifications is nobody's work. */
function leave({ tell }: Engine, name: string, left: string): void {
  if (name === VERIFY_TREE) rmSync(left, { recursive: true });
  else
    tell({ type: "warning", message: `repositories that were in a work tree are kept in ${left}` });
}

/** Keeps what is uncommitted in the work tree of a phase, by a snapshot, and tells which command brings it back. */
export async function keepUncommitted(
  engine: Engine,
  path: string,
  { id: phase, ref }: Pick<PhaseState, "id" | "ref">,
): Promise<void> {
  const { store, signal } = engine;
  const prefix = refsOf(store.current.id).left(ref);
  const taken = await takeSnapshot(path, { prefix, message: `What was left of ${ref}`, signal });
  for (const kept of [taken, taken?.staged]) {
    if (kept === undefined) continue;
    const what = kept === taken ? "what was uncommitted" : "what was staged";
    const message = `${what} in its work tree is kept:\n${bringBackCommand(kept.ref)}`;
    note(engine, { type: "warning", phase, message });
  }
}

/**
 * Removes the tree of the verifications, whatever commands have made of it, and the folder of all trees, where nothing is in
 * it any more. Where that fails it stays, which is reported: the nebula is no less done.
 */
export async function removeVerifyTree(engine: Engine): Promise<void> {
  const { repository, signal, tell, trees } = engine;
  const path = treePath(engine, VERIFY_TREE);
  try {
    if (existsSync(path)) {
      await removeBroken(repository, path);
      if (existsSync(path)) await removeDetachedWorkTree(repository, path, { signal });
      else await repairTrees(engine);
    }
    removeEmptyFolders(repository, trees);
  } catch (error) {
    signal.throwIfAborted();
    tell({
      type: "warning",
      message: `the work tree of the verifications stays at ${path}: ${messageOf(error)}`,
    });
  }
}

/**
 * Removes the work trees that nobody needs any more. It is no step of a landing: it looks at what is there, each time.
 * A tree goes only where its phase has landed, all that it holds is in the branch or in a snapshot, and nobody
 * works in it. Why one stays is reported once.
 */
export async function removeLandedTrees(engine: Engine): Promise<void> {
  const { repository, store, signal, tell } = engine;
  for (const phase of store.current.phases) {
    const { ref, status, tip, id } = phase;
    const path = treePath(engine, ref);
    if (status !== "done" || !existsSync(path)) continue;
    try {
      const { head, dirty } = await headAndChanges(path, { signal });
      const isLanded =
        tip === "" || (await isAncestor(repository, tip, await branchTip(engine), { signal }));
      const isKept = head === tip || tip === "";
      if (!isLanded || !isKept) continue;
      const [submodule] = await unpushedSubmodules(path, { signal });
      if (submodule !== undefined) {
        throw new Error(`no remote has the commit of its submodule ${submodule}`);
      }
      if (dirty.length > 0) await keepUncommitted(engine, path, phase);
      await removeDetachedWorkTree(repository, path, { signal });
    } catch (error) {
      signal.throwIfAborted();
      const message = `its work tree stays at ${path}: ${messageOf(error)}`;
      if (engine.keptTrees.get(path) === message) continue;
      engine.keptTrees.set(path, message);
      tell({ type: "warning", phase: id, message });
    }
  }
}
