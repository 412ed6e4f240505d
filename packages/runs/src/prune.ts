import { rmSync } from "node:fs";
import { join } from "node:path";
import { listRefs, removeRefs } from "@quasar/git/snapshots";
import { forgetSeed } from "./compatibility.ts";
import { lockWorkspace } from "./driving/lock.ts";
import { findLeftoverProcesses } from "./driving/orphans.ts";
import { RunsError } from "./errors.ts";
import { folderSize } from "./folder-size.ts";
import { isQuarantined, listRuns, runIds, summarize } from "./look/list.ts";
import { hasEnded, isUnfinished, type ListedRun, type RunSummary } from "./look/summary.ts";
import { snapshotPrefix } from "./snapshots/list.ts";
import { processes } from "./text/format.ts";
import type { User } from "./user/user.ts";
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
  readonly runs: readonly ListedRun[];
  /** What their files hold. */
  readonly sizeBytes: number;
}

/**
 * Removes what is kept of runs that have ended: files and snapshots, never commits.
 *
 * @throws {RunsError} `ERR_LOCKED`; `ERR_AGENT_ALIVE` while an agent of one works; for a run that is named, `ERR_USAGE`
 *   where there is none, `ERR_STATE` where it has not ended.
 */
export async function pruneRuns(
  workspace: Workspace,
  user: Pick<User, "existingSealKey">,
  options: PruneOptions,
): Promise<Pruned> {
  const { runId, dryRun = false } = options;
  // What is only read may be read while a runner works.
  const lock = dryRun ? undefined : await lockWorkspace(workspace);
  try {
    const runs =
      runId === undefined
        ? await oldOnes(workspace, user, options)
        : [await named(workspace, runId, options)];
    const sizeBytes = runs.reduce(
      (sum, { id }) => sum + folderSize(join(workspace.runsDir, id)),
      0,
    );
    if (!dryRun) {
      await refuseLive(runs.map(({ id }) => id));
      for (const { id } of runs) await remove(workspace, id);
    }
    return { runs, sizeBytes };
  } finally {
    lock?.release();
  }
}

function isToGo(run: ListedRun, { stopped = false }: PruneOptions): boolean {
  return hasEnded(run) || (stopped && isUnfinished(run));
}

async function oldOnes(
  workspace: Workspace,
  user: Pick<User, "existingSealKey">,
  options: PruneOptions,
): Promise<readonly ListedRun[]> {
  const { olderThanMs, dryRun = false } = options;
  const old: ListedRun[] = [];
  for await (const run of listRuns(workspace, user, runIds(workspace), { live: dryRun })) {
    const isOld = Date.now() - Date.parse(run.savedAt) >= olderThanMs;
    if (isOld && isToGo(run, options)) old.push(run);
  }
  return old;
}

async function named(workspace: Workspace, id: string, options: PruneOptions): Promise<RunSummary> {
  const known = runIds(workspace).filter((each) => each === id);
  const [run] = await summarize(workspace, known, { live: options.dryRun === true });
  if (run === undefined) {
    throw new RunsError("ERR_USAGE", `there is no run ${id} in this work tree`, {
      next: [{ do: "list" }],
    });
  }
  if (isToGo(run, options) || isQuarantined(join(workspace.runsDir, id))) return run;
  if (run.status === "damaged") {
    throw new RunsError("ERR_STATE", `run ${id} cannot be read: ${run.reason}`, { next: run.next });
  }
  throw new RunsError("ERR_STATE", `run ${id} has not ended: it is ${run.status}`, {
    next: [
      { do: "resume", runId: id },
      { do: "abandon", runId: id, note: "gives it up" },
      { do: "prune", runId: id, options: { stopped: true }, note: "removes it all the same" },
    ],
  });
}

async function refuseLive(ids: readonly string[]): Promise<void> {
  const [alive] = await findLeftoverProcesses(ids);
  if (alive === undefined) return;
  const message = `an agent of run ${alive.runId} still works: ${processes(alive.pids)}`;
  throw new RunsError("ERR_AGENT_ALIVE", message, {
    next: [{ do: "check", options: { fix: true } }],
  });
}

/** The refs first: a run whose files are there can be pruned again. */
async function remove(workspace: Workspace, id: string): Promise<void> {
  await forgetSeed(workspace, id);
  await removeRefs(workspace.root, await listRefs(workspace.root, snapshotPrefix(id)));
  rmSync(join(workspace.runsDir, id), { recursive: true, force: true });
}
