import { restoreSnapshot } from "@quasar/git/snapshots";
import { lockWorkspace } from "../driving/lock.ts";
import { findLeftoverProcesses } from "../driving/orphans.ts";
import { RunsError } from "../errors.ts";
import { runIds } from "../look/list.ts";
import { processes } from "../text/format.ts";
import type { Workspace } from "../workspace.ts";
import { type RunSnapshot, runSnapshots, snapshotPrefix } from "./list.ts";
import { packEndedRuns } from "./pack.ts";

type RestoredSnapshot = Awaited<ReturnType<typeof restoreSnapshot>>;

/** What was brought back. */
export interface RestoredRunSnapshot extends RestoredSnapshot {
  readonly snapshot: RunSnapshot;
}

export interface RestoreOptions {
  /** Told what stands in the way of other snapshots. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/**
 * Makes the files of the work tree what a snapshot of a run holds; what they were becomes a new snapshot of it.
 * Takes the lock of the work tree while it does so.
 *
 * @throws {RunsError} `ERR_LOCKED`; `ERR_AGENT_ALIVE` where an agent of a run works in the tree; `ERR_USAGE` where there
 *   is no such snapshot. {GitError} `ERR_NOT_RESTORABLE`, `ERR_DAMAGED_PACK`. Then no file was changed.
 */
export async function restoreRunSnapshot(
  workspace: Workspace,
  runId: string,
  n: number,
  options: RestoreOptions = {},
): Promise<RestoredRunSnapshot> {
  const lock = await lockWorkspace(workspace);
  try {
    await refuseLiveAgents(workspace);
    return await restoreUnderLock(workspace, runId, n, options);
  } finally {
    lock.release();
  }
}

/** Two must not write in one tree. */
async function refuseLiveAgents(workspace: Workspace): Promise<void> {
  const [alive] = await findLeftoverProcesses(runIds(workspace));
  if (alive === undefined) return;
  const message = `an agent of run ${alive.runId} works in this tree: ${processes(alive.pids)}`;
  throw new RunsError("ERR_AGENT_ALIVE", message, {
    next: [
      { do: "resume", runId: alive.runId, note: "follows it" },
      { do: "abandon", runId: alive.runId },
    ],
  });
}

async function restoreUnderLock(
  workspace: Workspace,
  runId: string,
  n: number,
  { onProblem = () => {} }: RestoreOptions,
): Promise<RestoredRunSnapshot> {
  const { snapshots, last, problems } = await runSnapshots(workspace, runId);
  for (const problem of problems) onProblem(problem);
  const snapshot = snapshots.find((each) => each.n === n);
  if (snapshot === undefined) {
    throw new RunsError("ERR_USAGE", `run ${runId} has no snapshot ${n}`, {
      next: [{ do: "snapshots", runId }],
    });
  }
  const restored = await restoreSnapshot(workspace.root, {
    from: snapshot.from,
    prefix: snapshotPrefix(runId),
    message: `what snapshot ${n} has replaced`,
    after: last,
  });
  await packEndedRuns(workspace, { onProblem });
  return { ...restored, snapshot };
}
