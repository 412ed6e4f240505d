import { restoreSnapshot } from "@quasar/git/snapshots";
import { RunsError } from "../errors.ts";
import type { Workspace } from "../workspace.ts";
import { type RunSnapshot, runSnapshots, snapshotPrefix } from "./list.ts";
import { packEndedRuns, type PackOptions } from "./pack.ts";

type RestoredSnapshot = Awaited<ReturnType<typeof restoreSnapshot>>;

/** What was brought back. */
export interface RestoredRunSnapshot extends RestoredSnapshot {
  readonly snapshot: RunSnapshot;
}

/**
 * Makes the files of the work tree what a snapshot of a run holds; what they were becomes a new snapshot of it.
 * Call it under the lock of the work tree.
 *
 * @throws {RunsError} `ERR_USAGE` where there is no such snapshot; {GitError} `ERR_NOT_RESTORABLE`,
 *   `ERR_DAMAGED_PACK`: then no file was changed.
 */
export async function restoreRunSnapshot(
  workspace: Workspace,
  runId: string,
  n: number,
  { onProblem = () => {} }: Pick<PackOptions, "onProblem"> = {},
): Promise<RestoredRunSnapshot> {
  const { snapshots, last, problems } = await runSnapshots(workspace, runId);
  for (const problem of problems) onProblem(problem);
  const snapshot = snapshots.find((each) => each.n === n);
  if (snapshot === undefined) {
    throw new RunsError("ERR_USAGE", `run ${runId} has no snapshot ${n}`, {
      next: [`quasar snapshots ${runId}`],
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
