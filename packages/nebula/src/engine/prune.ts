import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { listRunProcesses } from "@quasar/agents/turns";
import { syncFiles } from "@quasar/durable";
import { currentHead, dirtyPaths, type Repository } from "@quasar/git";
import { isAncestor } from "@quasar/git/history";
import { verifyBundle, writeBundle } from "@quasar/git/internal";
import { removeDetachedWorkTree, repairWorkTrees } from "@quasar/git/landing";
import { listRefs, removeRefs, takeSnapshot } from "@quasar/git/snapshots";
import { listWorktrees } from "@quasar/git/work-trees";
import { makeFolders } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { isTreeOf } from "../state/check.ts";
import { nebulaeFolder, nebulaHome, refsOf } from "../state/home.ts";
import { isUnfinished } from "../state/list.ts";
import type { NebulaState } from "../state/state.ts";
import { lockNebula } from "../state/lock.ts";

const NEVER = new AbortController().signal;

/** What a folder is called while it is removed. */
const GONE = ".pruned-";

type Ref = Awaited<ReturnType<typeof listRefs>>[number];

/** What is removed of a nebula, or would be. */
export interface PrunedNebula {
  /** Its work trees that are left. */
  readonly trees: readonly string[];
  readonly refs: readonly string[];
  /** The file that has what no branch has; `undefined`: all of it is in one. */
  readonly bundle: string | undefined;
}

/**
 * Removes what is kept of a nebula that has ended: its work trees, its refs and its folder. Its branch stays, and what is in no
 * branch is in a bundle before, durable and read back.
 *
 * @throws {NebulaError} `ERR_UNFINISHED`; `ERR_LOCKED`, also while a process works for one of its runs.
 */
export async function pruneNebula(
  repository: Repository,
  state: NebulaState,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<PrunedNebula> {
  const { root, commonDir } = repository;
  if (isUnfinished(state)) {
    throw new NebulaError("ERR_UNFINISHED", `the nebula ${state.name} has not ended`, {
      next: [{ shell: `quasar nebula status ${state.id}` }],
    });
  }
  const home = nebulaHome(commonDir, state.id);
  const lock = lockNebula(home);
  try {
    refuseLive(state);
    const trees = await treesOf(repository, state);
    if (!isDryRun) {
      // What a crash has left half removed.
      for (const folder of new Set(trees.map(dirname))) await repairWorkTrees(repository, folder);
      for (const path of await treesOf(repository, state)) {
        await removeTree(repository, state, path);
      }
    }
    const refs = await refsOfNebula(root, state);
    const bundle = await keepUnmerged(repository, state, refs, isDryRun);
    const pruned = { trees, refs: refs.map(({ ref }) => ref), bundle };
    if (isDryRun) return pruned;
    await removeRefs(root, refs);
    const folder = nebulaeFolder(commonDir);
    renameSync(home.dir, join(folder, GONE + state.id));
    // With those that a crash has left.
    for (const name of readdirSync(folder).filter((each) => each.startsWith(GONE))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
    return pruned;
  } finally {
    lock.release();
  }
}

async function treesOf({ root }: Repository, { id }: NebulaState): Promise<readonly string[]> {
  return (await listWorktrees(root)).map(({ path }) => path).filter((path) => isTreeOf(id, path));
}

function refuseLive({ name, phases }: NebulaState): void {
  const runs = new Set(phases.flatMap((phase) => phase.runs));
  const live = (listRunProcesses() ?? []).filter(({ runId }) => runs.has(runId));
  if (live.length === 0) return;
  const pids = live.map(({ pid }) => pid).join(" ");
  throw new NebulaError("ERR_LOCKED", `processes of the nebula ${name} are still there: ${pids}`, {
    next: [{ shell: `kill ${pids}` }],
  });
}

/** What is uncommitted in a work tree, and commits of it on no branch, are kept by refs before it goes. */
async function removeTree(
  repository: Repository,
  { id }: NebulaState,
  path: string,
): Promise<void> {
  const prefix = refsOf(id).left(path.split("/").at(-1) ?? "");
  if (existsSync(path)) {
    const dirty = await dirtyPaths(path);
    const nested = dirty.find((each) => each.path.endsWith("/"));
    if (nested !== undefined) {
      const message = `${join(path, nested.path)} is a repository, which nothing keeps`;
      throw new NebulaError("ERR_BRANCH", message);
    }
    if (dirty.length > 0) await takeSnapshot(path, { prefix, message: `What was left of ${path}` });
    const { head } = await currentHead(path);
    if (head !== "") await holdRef({ repository, signal: NEVER }, `${prefix}head`, head);
  }
  await removeDetachedWorkTree(repository, path);
  const folder = dirname(path);
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Those of the nebula itself, and of the runs of its phases. */
async function refsOfNebula(root: string, { id, phases }: NebulaState): Promise<readonly Ref[]> {
  const prefixes = [
    `refs/quasar/nebula/${id}/`,
    ...phases.flatMap(({ runs }) => runs.map((run) => `refs/quasar/${run}/`)),
  ];
  const all = await listRefs(root, "refs/quasar/");
  return all.filter(({ ref }) => prefixes.some((prefix) => ref.startsWith(prefix)));
}

async function keepUnmerged(
  { root, commonDir }: Repository,
  { id }: NebulaState,
  refs: readonly Ref[],
  isDryRun: boolean,
): Promise<string | undefined> {
  const branches = [
    ...(await listRefs(root, "refs/heads/")),
    ...(await listRefs(root, "refs/remotes/")),
  ];
  const tips = [...new Set(branches.map(({ sha }) => sha))];
  const unmerged: Ref[] = [];
  for (const each of refs) if (!(await isInOne(root, each.sha, tips))) unmerged.push(each);
  if (unmerged.length === 0) return undefined;
  const folder = join(nebulaeFolder(commonDir), "pruned");
  const name = `${id}.bundle`;
  const file = join(folder, name);
  if (isDryRun) return file;
  makeFolders(folder);
  await writeBundle(root, { file, refs: unmerged, without: tips });
  syncFiles(folder, [name]);
  await verifyBundle(root, { file, refs: unmerged });
  return file;
}

async function isInOne(root: string, sha: string, tips: readonly string[]): Promise<boolean> {
  for (const tip of tips) if (await isAncestor(root, sha, tip)) return true;
  return false;
}
