import { join } from "node:path";
import { isAgentAlive } from "@quasar/loop/turn";
import { openTurnUsd, withoutSubject } from "@quasar/loop/internal";
import { namesIn } from "@quasar/process/files";
import { isRunId } from "../run-id.ts";
import { type KeptSettings, loadRun, storedUnreportedCosts } from "../store.ts";
import type { Spending } from "../text/format.ts";
import { storesIn } from "./stores.ts";

/** What a run counts against its limit. */
export type RunSpending = Spending;

/**
 * What the runs in a folder count against their limits, by their ids: their ledgers, and the most of a turn whose end is
 * not known, read without their work tree. A damaged artifact changes none of it.
 *
 * @param runsDir - Absolute path of the folder that holds a folder for each run.
 * @throws {CheckpointError} Where a run cannot be read: what it has cost is not 0.
 */
export async function spendingIn(runsDir: string): Promise<ReadonlyMap<string, RunSpending>> {
  const spending = new Map<string, RunSpending>();
  for (const id of namesIn(runsDir).filter(isRunId)) {
    const { current, archive } = storesIn(join(runsDir, id), {});
    const open = await current.loadBooks();
    const run = open ?? (await archive.loadBooks());
    if (run === undefined) continue;
    const { totalCostUsd, unknownCostUsd } = run;
    const openUsd = open === undefined ? 0 : openTurnUsd(open);
    spending.set(id, {
      spentUsd: totalCostUsd + openUsd,
      unknownUsd: unknownCostUsd + openUsd,
      hasUnreportedCosts: storedUnreportedCosts(run),
    });
  }
  return spending;
}

/**
 * Whether the agent of a run's turn works at this moment, with a runner or without.
 *
 * @param runDir - Absolute path of the run's folder.
 * @throws {CheckpointError} Where the run cannot be read.
 */
export async function hasAgentAtWork(runDir: string): Promise<boolean> {
  const loaded = await storesIn(runDir, {}).current.load();
  return loaded !== undefined && isAgentAlive(loaded.checkpoint);
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

/** What a run continues with once its coder has finished its work of a cycle. */
export interface AfterCoder {
  /** `commit`: the work is in the work tree. `review`: it is committed, and has passed its checks. */
  readonly step: "commit" | "review";
  readonly task: string;
}

/**
 * What a run continues with that needs no turn of its coder; `undefined` for any other.
 *
 * @param runDir - Absolute path of the run's folder.
 * @throws {CheckpointError} Where the run cannot be read.
 */
export async function afterCoder(runDir: string): Promise<AfterCoder | undefined> {
  const checkpoint = (await storesIn(runDir, {}).current.load())?.checkpoint;
  if (checkpoint === undefined) return undefined;
  const { phase, turn, taskTitle: task, outcome } = checkpoint;
  if (phase === "reviewing") return { step: "review", task };
  const isCoding = phase === "coding" || phase === "linting";
  const hasFinished = isCoding && turn?.role === "coder" && turn.status === "settled";
  // Where agents have left its branch or its index, or changed git's settings, what is there is no commit's.
  return hasFinished && outcome?.outcome === "git" ? { step: "commit", task } : undefined;
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

/**
 * The settings that a run was started with; `undefined` where there is no such run.
 *
 * @param runDir - Absolute path of the run's folder.
 * @throws {CheckpointError} Where the run cannot be read.
 */
export async function settingsOfRun(runDir: string): Promise<KeptSettings | undefined> {
  const { loaded } = await loadRun(storesIn(runDir, {}));
  return loaded && (loaded.checkpoint.settings ?? {});
}
