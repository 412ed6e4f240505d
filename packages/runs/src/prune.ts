import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { deleteRefs } from "@quasar/git";
import { forgetSeed } from "./compatibility.ts";
import { lockWorkspace } from "./driving/lock.ts";
import { findOutliving } from "./driving/orphans.ts";
import { codeOf, RunsError } from "./errors.ts";
import { isSetAside, runIds, summarize } from "./look/list.ts";
import type { RunSummary } from "./look/summary.ts";
import { snapshotPrefix } from "./snapshots/list.ts";
import { processes } from "./text/format.ts";
import type { Workspace } from "./workspace.ts";

export interface PruneOptions {
  /** One run, whatever its age. @default all that are old enough */
  readonly runId?: string | undefined;
  /** How long ago a run was last saved at least, in milliseconds. */
  readonly olderThanMs: number;
  /** Those, too, that stopped or were interrupted, and could be resumed. @default false */
  readonly stopped?: boolean | undefined;
  /** Whether it is only said what would go. @default false */
  readonly dryRun?: boolean | undefined;
}

/** What has gone, or would go. */
export interface Pruned {
  readonly runs: readonly RunSummary[];
  /** What their files hold. */
  readonly bytes: number;
}

/**
 * Removes what is kept of runs that have ended: files and snapshots, never commits.
 *
 * @throws {RunsError} `ERR_LOCKED`; `ERR_AGENT_ALIVE` while an agent of one works; for a run that is named, `ERR_USAGE`
 *   where there is none, `ERR_STATE` where it has not ended.
 */
export async function pruneRuns(workspace: Workspace, options: PruneOptions): Promise<Pruned> {
  const { runId, olderThanMs, dryRun = false } = options;
  // What is only looked at may be looked at while a runner works.
  const lock = dryRun ? undefined : await lockWorkspace(workspace);
  try {
    const runs =
      runId === undefined
        ? (await summarize(workspace, runIds(workspace), { live: dryRun })).filter(
            (run) => isToGo(run, options) && Date.now() - Date.parse(run.savedAt) >= olderThanMs,
          )
        : [await named(workspace, runId, options)];
    const bytes = runs.reduce((sum, { id }) => sum + sizeOf(join(workspace.runsDir, id)), 0);
    if (!dryRun) {
      await refuseLive(runs.map(({ id }) => id));
      for (const { id } of runs) await remove(workspace, id);
    }
    return { runs, bytes };
  } finally {
    lock?.release();
  }
}

/**
 * What the files of a folder hold, in bytes; one that goes meanwhile, or that cannot be looked into, holds nothing.
 * A link counts by itself: an agent may have made one to anywhere.
 */
function sizeOf(dir: string): number {
  let size = 0;
  try {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      size += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (entry.isDirectory()) size += sizeOf(path);
    }
  } catch (error) {
    if (!["ENOENT", "ENOTDIR", "EACCES"].includes(codeOf(error))) throw error;
  }
  return size;
}

function isToGo({ status }: RunSummary, { stopped = false }: PruneOptions): boolean {
  const isResumable = status === "stopped" || status === "interrupted";
  return status === "approved" || status === "abandoned" || (stopped && isResumable);
}

async function named(workspace: Workspace, id: string, options: PruneOptions): Promise<RunSummary> {
  const known = runIds(workspace).filter((each) => each === id);
  const [run] = await summarize(workspace, known, { live: options.dryRun === true });
  if (run === undefined) {
    throw new RunsError("ERR_USAGE", `there is no run ${id} in this work tree`, {
      next: ["quasar ls --all"],
    });
  }
  if (isToGo(run, options) || isSetAside(join(workspace.runsDir, id))) return run;
  if (run.status === "damaged") {
    throw new RunsError("ERR_STATE", `run ${id} cannot be read: ${run.reason}`, { next: run.next });
  }
  throw new RunsError("ERR_STATE", `run ${id} has not ended: it is ${run.status}`, {
    next: [
      `quasar resume ${id}`,
      `quasar abandon ${id}   (gives it up)`,
      `quasar prune ${id} --stopped   (removes it all the same)`,
    ],
  });
}

async function refuseLive(ids: readonly string[]): Promise<void> {
  const [alive] = await findOutliving(ids);
  if (alive === undefined) return;
  const message = `an agent of run ${alive.runId} still works: ${processes(alive.pids)}`;
  throw new RunsError("ERR_AGENT_ALIVE", message, { next: ["quasar doctor --fix"] });
}

/** The refs first: a run whose files are there can be pruned again. */
async function remove(workspace: Workspace, id: string): Promise<void> {
  await forgetSeed(workspace, id);
  await deleteRefs(workspace.root, snapshotPrefix(id));
  rmSync(join(workspace.runsDir, id), { recursive: true, force: true });
}
