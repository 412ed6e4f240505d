import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { listRunProcesses } from "@quasar/agents/turns";
import { syncFiles } from "@quasar/durable";
import { currentHead, dirtyPaths, type Repository } from "@quasar/git";
import { bundleHolds, notInPast, verifyBundle, writeBundle } from "@quasar/git/internal";
import { removeDetachedWorkTree, repairWorkTrees } from "@quasar/git/landing";
import { listRefs, removeRefs, takeSnapshot } from "@quasar/git/snapshots";
import { listWorktrees } from "@quasar/git/work-trees";
import { makeFolders } from "@quasar/process/files";
import { cleanLine, count } from "@quasar/runs/text";
import { isCommandOf } from "../commands/run-shell.ts";
import { NebulaError } from "../errors.ts";
import { holdRef } from "../landing/hold-ref.ts";
import { isTreeOf } from "../state/check.ts";
import { nebulaeFolder, nebulaHome, refsOf } from "../state/home.ts";
import { canRetry, isUnfinished } from "../state/list.ts";
import type { NebulaState } from "../state/state.ts";
import { lockNebula } from "../state/lock.ts";
import { requireState } from "../state/store.ts";
import { requireSaved } from "../trees/require-saved.ts";

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

export interface PruneOptions {
  readonly isDryRun: boolean;
  /** Whether one goes, too, whose failed phases could be retried. @default false */
  readonly withFailed?: boolean | undefined;
  /** For how long nothing has happened to it, in milliseconds. @default 0 */
  readonly olderThanMs?: number | undefined;
}

/** Why a nebula is kept; `undefined`: nobody needs what is kept of it. */
export function keptAs(
  state: NebulaState,
  { withFailed, olderThanMs = 0 }: Omit<PruneOptions, "isDryRun">,
  now: Date,
): "unfinished" | "failed" | "young" | undefined {
  const { createdAt, phases } = state;
  if (isUnfinished(state)) return "unfinished";
  const times = [createdAt, ...phases.map(({ updatedAt }) => updatedAt)].map((at) =>
    Date.parse(at),
  );
  if (now.getTime() - Math.max(...times) < olderThanMs) return "young";
  return canRetry(state) && withFailed !== true ? "failed" : undefined;
}

/**
 * Removes what is kept of a nebula that has ended: its work trees, its refs and its folder. Its branch stays, and what is in no
 * branch is in a bundle before, durable and read back.
 *
 * @param shown - As the person was shown it: what is decided is decided by what it is under its lock.
 * @throws {NebulaError} `ERR_UNFINISHED` where it is kept; `ERR_NOT_FOUND` where it is gone; `ERR_BRANCH` where a work tree of
 *   it has the only copy of a commit: all of it stays; `ERR_LOCKED`, also while a process of its runs or commands is there, or
 *   where that cannot be known.
 */
export async function pruneNebula(
  repository: Repository,
  shown: NebulaState,
  options: PruneOptions,
): Promise<PrunedNebula> {
  const { root, commonDir } = repository;
  const { isDryRun } = options;
  const home = nebulaHome(commonDir, shown.id);
  const lock = lockNebula(home);
  try {
    const state = requireState(home);
    requireEnded(state, options);
    refuseLive(state);
    const trees = await treesOf(repository, state);
    // Before a repair, which may remove what git has of a tree, and before anything else is gone.
    for (const path of trees) await requireSaved(path);
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

function requireEnded(state: NebulaState, options: PruneOptions): void {
  const { id, name, phases } = state;
  const why = keptAs(state, options, new Date());
  if (why === undefined) return;
  const failed = phases.filter(({ status }) => status === "failed").length;
  const words = {
    unfinished: "has not ended",
    young: "has not ended so long ago",
    failed: `has ${count(failed, "failed phase")}, which can be retried`,
  };
  const anyway = { shell: `quasar nebula prune ${id} --with-failed`, note: "gives that up" };
  throw new NebulaError("ERR_UNFINISHED", `the nebula ${cleanLine(name)} ${words[why]}`, {
    next: [{ shell: `quasar nebula status ${id}` }, ...(why === "failed" ? [anyway] : [])],
  });
}

function refuseLive({ id, name, phases }: NebulaState): void {
  const runs = new Set(phases.flatMap((phase) => phase.runs));
  const all = listRunProcesses();
  if (all === undefined) {
    const message = `the processes of this machine cannot be listed: those of the nebula ${cleanLine(name)} may still work`;
    throw new NebulaError("ERR_LOCKED", message, { next: [{ do: "check" }] });
  }
  const live = all.filter(({ runId }) => runs.has(runId) || isCommandOf(id, runId));
  if (live.length === 0) return;
  const pids = live.map(({ pid }) => pid).join(" ");
  throw new NebulaError(
    "ERR_LOCKED",
    `processes of the nebula ${cleanLine(name)} are still there: ${pids}`,
    {
      next: [{ shell: `kill ${pids}` }],
    },
  );
}

/** What is uncommitted in a work tree, and commits of it on no branch, are kept by refs before it goes. */
async function removeTree(
  repository: Repository,
  { id }: NebulaState,
  path: string,
): Promise<void> {
  const prefix = refsOf(id).left(path.split("/").at(-1) ?? "");
  if (existsSync(path)) {
    if ((await dirtyPaths(path)).length > 0) {
      await takeSnapshot(path, { prefix, message: `What was left of ${path}` });
    }
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

/**
 * What is in no branch is in one bundle, which is durable and read back. One that is there already counts where it has all
 * of it, and is never written over: what has removed some refs before it was cut off has them in it.
 *
 * @returns Also where refs were removed before, and all of the rest is in branches.
 */
async function keepUnmerged(
  { root, commonDir }: Repository,
  { id }: NebulaState,
  all: readonly Ref[],
  isDryRun: boolean,
): Promise<string | undefined> {
  const branches = [
    ...(await listRefs(root, "refs/heads/")),
    ...(await listRefs(root, "refs/remotes/")),
  ];
  const tips = [...new Set(branches.map(({ sha }) => sha))];
  const unmerged = await notInPast(root, { shas: all.map(({ sha }) => sha), tips });
  const refs = all.filter(({ sha }) => unmerged.has(sha));
  const folder = join(nebulaeFolder(commonDir), "pruned");
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? `${id}.bundle` : `${id}-${at}.bundle`;
    const file = join(folder, name);
    if (existsSync(file)) {
      syncFiles(folder, [name]);
      const has = refs.length === 0 || (await bundleHolds(root, { file, refs, without: tips }));
      if (has) return file;
      continue;
    }
    if (refs.length === 0) return undefined;
    if (isDryRun) return file;
    makeFolders(folder);
    // What a git that was killed has left: nobody else writes here under the nebula's lock.
    rmSync(`${file}.lock`, { force: true });
    await writeBundle(root, { file, refs, without: tips });
    syncFiles(folder, [name]);
    await verifyBundle(root, { file, refs });
    return file;
  }
}
