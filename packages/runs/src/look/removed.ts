import { join } from "node:path";
import { FOLDER, isRealFolder } from "../real-folder.ts";
import { isRunId } from "../run-id.ts";
import { seedStore } from "../compatibility.ts";
import type { Workspace } from "../workspace.ts";
import { runIds } from "./list.ts";
import { type RunSummary, summaryOf } from "./summary.ts";

/** A run whose folder has gone, as its compatibility checkpoint knows it. */
export async function removedRun(workspace: Workspace): Promise<RunSummary | undefined> {
  if (!isRealFolder(join(workspace.root, FOLDER))) return undefined;
  // One that cannot be read is nobody's.
  const loaded = await seedStore(workspace, undefined)
    .load()
    .catch(() => undefined);
  if (loaded === undefined) return undefined;
  const { checkpoint } = loaded;
  const { runId } = checkpoint;
  const isOurs = isRunId(runId) && checkpoint.settings !== undefined;
  if (!isOurs || runIds(workspace).includes(runId)) return undefined;
  const status = checkpoint.failure === "" ? "interrupted" : "stopped";
  const nobody = { status, runner: undefined, reason: "", more: {}, isAlive: false } as const;
  return { ...summaryOf(runId, nobody, checkpoint), reason: REMOVED };
}

const REMOVED =
  "its folder in the git folder was removed; what its compatibility checkpoint and its commits know is used";
