import { join } from "node:path";
import { lockHolder } from "./driving/lock.ts";
import { findLeftoverProcesses } from "./driving/orphans.ts";
import { folderSize } from "./folder-size.ts";
import { listRuns, runIds } from "./look/list.ts";
import { hasEnded, isUnfinished } from "./look/summary.ts";
import type { User } from "./user/user.ts";
import type { Workspace } from "./workspace.ts";

/** How many runs are kept, and what their files hold. */
export interface Kept {
  readonly runs: number;
  readonly sizeBytes: number;
}

/** What runs take that nobody works on. */
export interface KeptRuns {
  /** Approved or given up. */
  readonly ended: Kept;
  /** Stopped or interrupted: they could be resumed. */
  readonly stopped: Kept;
  /** Whether {@link pruneRuns} would remove any now: nobody works in the tree, and no agent of these runs lives. */
  readonly canPrune: boolean;
}

/** What is kept of the runs of a work tree. Takes no lock. */
export async function keptRuns(
  workspace: Workspace,
  user: Pick<User, "existingSealKey">,
): Promise<KeptRuns> {
  const [ended, stopped] = [none(), none()];
  const ids: string[] = [];
  for await (const run of listRuns(workspace, user, runIds(workspace))) {
    const kept = hasEnded(run) ? ended : isUnfinished(run) ? stopped : undefined;
    if (kept === undefined) continue;
    kept.runs += 1;
    kept.sizeBytes += folderSize(join(workspace.runsDir, run.id));
    ids.push(run.id);
  }
  const isIdle = lockHolder(workspace) === undefined;
  return { ended, stopped, canPrune: isIdle && (await findLeftoverProcesses(ids)).length === 0 };
}

const none = (): { runs: number; sizeBytes: number } => ({ runs: 0, sizeBytes: 0 });
