import { join } from "node:path";
import { withoutSubject } from "@quasar/loop/internal";
import { namesIn } from "@quasar/process/files";
import { limitOf } from "../limits/patience.ts";
import { isRunId } from "../run-id.ts";
import { loadRun, loadRunSummary } from "../store.ts";
import { storesIn } from "./stores.ts";

/**
 * What the runs in a folder count against a limit, in US dollars: their ledgers, read without their work tree.
 *
 * @param runsDir - Absolute path of the folder that holds a folder for each run.
 * @throws {CheckpointError} Where a run cannot be read: what it has cost is not 0.
 */
export async function spentIn(runsDir: string): Promise<number> {
  let usd = 0;
  for (const id of namesIn(runsDir).filter(isRunId)) {
    const { loaded } = await loadRunSummary(storesIn(join(runsDir, id), {}));
    usd += loaded?.summary.totalCostUsd ?? 0;
  }
  return usd;
}

/**
 * When the usage limit is lifted that stopped a run: RFC 3339; `undefined` where none did, or none that is still to be
 * lifted.
 *
 * @param runDir - Absolute path of the run's folder.
 * @throws {CheckpointError} Where the run cannot be read.
 */
export async function limitedUntil(runDir: string): Promise<string | undefined> {
  const loaded = await storesIn(runDir, {}).current.load();
  return loaded && limitOf(loaded.checkpoint);
}

/**
 * The commit that a run has got to: a full id; `undefined` where it has none.
 *
 * @param runDir - Absolute path of the run's folder.
 * @throws {CheckpointError} Where the run cannot be read.
 */
export async function lastCommitOf(runDir: string): Promise<string | undefined> {
  const loaded = await storesIn(runDir, {}).current.load();
  return loaded?.checkpoint.gitSha || undefined;
}

/**
 * What the coder of a run has reported last, without the subject that it named for its commit; `undefined` where there
 * is no such run.
 *
 * @param runDir - Absolute path of the run's folder.
 * @throws {CheckpointError} Where the run cannot be read.
 */
export async function lastReportOf(runDir: string): Promise<string | undefined> {
  const { loaded } = await loadRun(storesIn(runDir, {}));
  return loaded && withoutSubject(loaded.checkpoint.coderOutput);
}
