import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { type Checkpoint, checkpointPath } from "@quasar/checkpoint";
import { isAgentAlive, isTurnOpen } from "@quasar/loop/turn";
import { namesIn } from "@quasar/process/files";
import { isRunId } from "../run-id.ts";
import { type Holder, lockHolder } from "../driving/lock.ts";
import type { Workspace } from "../workspace.ts";
import {
  ABANDONED,
  loadRun,
  loadRunSummary,
  type RunFiles,
  runStores,
  storedOutcome,
} from "../store.ts";
import { usableKey, type User } from "../user/user.ts";
import {
  damagedSummary,
  type ListedRun,
  type RunStatus,
  type RunSummary,
  quarantinedSummary,
  summaryOf,
} from "./summary.ts";
import { reportedCost } from "./watch-turn.ts";

/** Ids of the runs of a work tree, newest first. */
export function runIds({ runsDir }: Workspace): readonly string[] {
  return namesIn(runsDir).filter(isRunId).toSorted().toReversed();
}

/** Ids of the runs that have not ended, newest first; found without reading them. */
export function openRunIds(workspace: Workspace): readonly string[] {
  return runIds(workspace).filter((id) => {
    const dir = join(workspace.runsDir, id);
    return existsSync(checkpointPath(dir)) || !existsSync(checkpointPath(join(dir, "archive")));
  });
}

export interface LookOptions {
  /** Whether somebody else may be working on one. @default true */
  readonly live?: boolean | undefined;
}

/** Runs as they stand, in the order of the ids, each read when it is asked for; not those that never got to their first save. */
export async function* summaries(
  workspace: Workspace,
  ids: readonly string[],
  { live = true }: LookOptions = {},
): AsyncGenerator<RunSummary, undefined> {
  const runnerOf = live ? runnersIn(workspace) : nobody;
  for (const id of ids) {
    const run = await summarizeOne(workspace, id, runnerOf(id));
    if (run !== undefined) yield run;
  }
}

/** {@link summaries}, of few: all are held. */
export async function summarize(
  workspace: Workspace,
  ids: readonly string[],
  options: LookOptions = {},
): Promise<readonly RunSummary[]> {
  const runs: RunSummary[] = [];
  for await (const run of summaries(workspace, ids, options)) runs.push(run);
  return runs;
}

/** {@link summaries}, as a list shows them: many times as quick for runs of this machine. */
export async function* listRuns(
  workspace: Workspace,
  user: Pick<User, "existingSealKey">,
  ids: readonly string[],
  { live = true }: LookOptions = {},
): AsyncGenerator<ListedRun, undefined> {
  const runnerOf = live ? runnersIn(workspace) : nobody;
  const sealKey = usableKey(user);
  for (const id of ids) {
    const run = await listOne(workspace, id, { runner: runnerOf(id), sealKey });
    if (run !== undefined) yield run;
  }
}

/** Which run somebody works on now, and who. */
export function runnersIn(workspace: Workspace): (id: string) => Holder | undefined {
  const holder = lockHolder(workspace);
  const driven = holder && (holder.runId ?? writtenSince(workspace, holder));
  return (id) => (id === driven ? holder : undefined);
}

const nobody = (): undefined => undefined;

/**
 * The run of a holder whose note was removed: the newest, if it was saved since. Not all who hold the lock work on a
 * run: an engine of tasks does not, nor who removes one.
 */
function writtenSince(workspace: Workspace, { startedAt }: Holder): string | undefined {
  const [newest] = openRunIds(workspace);
  if (newest === undefined || startedAt === undefined) return newest;
  const path = checkpointPath(join(workspace.runsDir, newest));
  const savedAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return savedAt >= Date.parse(startedAt) ? newest : undefined;
}

/** @param holder - The live runner, if this is the run that it works on. */
async function summarizeOne(
  workspace: Workspace,
  id: string,
  holder: Holder | undefined,
): Promise<RunSummary | undefined> {
  let files: RunFiles;
  try {
    files = await loadRun(runStores(workspace, id));
  } catch (error) {
    return damagedSummary(id, error);
  }
  const checkpoint = files.loaded?.checkpoint;
  if (checkpoint === undefined) return quarantinedOne(workspace, id);
  const reportedUsd = isTurnOpen(checkpoint)
    ? await reportedCost(workspace, { ...checkpoint, runId: id })
    : undefined;
  return storedSummary(id, { checkpoint, ended: files.ended, holder, reportedUsd });
}

/** A run's checkpoint, and what is known beside it. */
export interface StoredRun {
  readonly checkpoint: Checkpoint;
  /** Whether it is in the archive. */
  readonly ended: boolean;
  /** The live runner, if this is the run that it works on. */
  readonly holder: Holder | undefined;
  /** What the agent of its open turn has said that it cost. @default nothing */
  readonly reportedUsd?: number | undefined;
}

/** A run as it stands. */
export function storedSummary(
  id: string,
  { checkpoint, ended, holder, reportedUsd }: StoredRun,
): RunSummary {
  const outcome = storedOutcome(checkpoint);
  const status = statusOf(ended, outcome?.outcome, holder);
  const runner = status === "running" ? holder : undefined;
  const isAlive = runner === undefined && isAgentAlive(checkpoint);
  const { message: reason = "", more = {} } = outcome ?? {};
  const isOfTree = outcome?.outcome === "work-tree";
  const circumstances = { status, runner, reason, more, isOfTree, isAlive, reportedUsd };
  return summaryOf(id, circumstances, checkpoint);
}

async function listOne(
  workspace: Workspace,
  id: string,
  { runner, sealKey }: { runner: Holder | undefined; sealKey: Uint8Array | undefined },
): Promise<ListedRun | undefined> {
  try {
    const { loaded, ended } = await loadRunSummary(runStores(workspace, id, sealKey));
    if (loaded === undefined) return quarantinedOne(workspace, id);
    const { summary } = loaded;
    const { outcome } = summary;
    const status = statusOf(ended, outcome?.outcome, runner);
    const reason = status === "stopped" ? (outcome?.message ?? "") : "";
    const { taskTitle: task, cycle, totalCostUsd: spentUsd } = summary;
    const { unknownCostUsd: unknownUsd, createdAt: savedAt } = summary;
    return { id, status, task, reason, cycle, spentUsd, unknownUsd, savedAt };
  } catch (error) {
    return damagedSummary(id, error);
  }
}

function quarantinedOne({ runsDir }: Workspace, id: string): RunSummary | undefined {
  return isQuarantined(join(runsDir, id)) ? quarantinedSummary(id) : undefined;
}

/** Whether all that is left of a run's checkpoint is what was quarantined. Not of one that is removed now. */
export function isQuarantined(dir: string): boolean {
  const names = namesIn(dir).filter((name) => name.startsWith("checkpoint.toml"));
  const isArchived = existsSync(checkpointPath(join(dir, "archive")));
  return !isArchived && names.length > 0 && names.every((name) => name.includes(".damaged-"));
}

function statusOf(
  ended: boolean,
  outcome: string | undefined,
  holder: Holder | undefined,
): RunStatus {
  if (ended) return outcome === ABANDONED ? "abandoned" : "approved";
  if (holder !== undefined) return "running";
  return outcome === undefined || outcome === "interrupted" ? "interrupted" : "stopped";
}
