import { readConventions, refuseStart } from "@quasar/loop/internal";
import { endContained } from "@quasar/process";
import { clearTree, findLeftoverProcesses } from "./driving/orphans.ts";
import { driverOf } from "./driving/run-driver.ts";
import { type DriveOptions, inSession, type Session } from "./driving/session.ts";
import { RunsError } from "./errors.ts";
import type { RunEnd } from "./events.ts";
import { listRuns, openRunIds } from "./look/list.ts";
import { removedRun } from "./look/removed.ts";
import type { ListedRun, RunSummary } from "./look/summary.ts";
import type { NextStep } from "./next-step.ts";
import { newRunId, parseRunId } from "./run-id.ts";
import type { RunOptions } from "./run-options.ts";
import { loadRun, runStores } from "./store.ts";
import { firstLine } from "./text/first-line.ts";
import { freeGit } from "./tree/git-locks.ts";
import type { User } from "./user/user.ts";
import { type TreeFacts, inLinkedTree, inspectTree } from "./work-tree.ts";
import { work } from "./work.ts";
import type { Workspace } from "./workspace.ts";

export interface StartOptions extends RunOptions, DriveOptions {
  /** The whole text of the task; its first line names it. */
  readonly task: string;
  /** Whether the tree may have changes that are not committed: the run leaves them alone. @default false */
  readonly acceptDirty?: boolean | undefined;
  /** Whether a run of the tree that was interrupted is left for later. @default false */
  readonly isNew?: boolean | undefined;
  /**
   * The run's id, for a caller who keeps it before the run begins; no run of the repository may have it.
   *
   * @default a new one
   */
  readonly runId?: string | undefined;
  /** Whether it works in a work tree of its own, on a branch of its own. @default false */
  readonly inWorktree?: boolean | undefined;
}

/**
 * Works on a task in a work tree, under its lock. Each step is on disk before it counts.
 *
 * @throws {RunsError} `ERR_LOCKED`, `ERR_UNFINISHED_RUN`, `ERR_AGENT_ALIVE`, `ERR_DIRTY`, `ERR_UNSAFE_PATH`,
 *   `ERR_STATE`, `ERR_BUDGET`: then nothing was begun.
 */
export async function startRun(
  origin: Workspace,
  user: Pick<User, "sealKey" | "existingSealKey">,
  { task, acceptDirty = false, isNew = false, inWorktree = false, ...given }: StartOptions,
): Promise<RunEnd> {
  const { onEvent, signal, onDriving, runId: named, ...options } = given;
  const runId = named === undefined ? newRunId(new Date()) : parseRunId(named);
  const runIn = (workspace: Workspace, keep: () => void): Promise<RunEnd> =>
    inSession(workspace, { onEvent, signal, onDriving }, async (session) => {
      await freeGit(driverOf(session));
      await rejectUnfinishedRuns(session, user, isNew);
      if (named !== undefined) await rejectKnown(workspace, runId);
      const facts = await inspectTree(
        workspace,
        { acceptDirty, ownsTree: options.ownsTree },
        session.tell,
      );
      const conventions = await readConventions(workspace.root, facts.baseCommit);
      assertBudget(workspace, facts, { ...options, runId, task, conventions: conventions.text });
      session.begin(runId);
      keep();
      const sealKey = user.sealKey();
      const stores = runStores(workspace, runId, sealKey);
      const spending = { spentUsd: 0, unknownUsd: 0, hasUnreportedCosts: false };
      return work(session, {
        ...{ runId, task, options, stores, sealKey, spending, conventions },
        // A start that was cut off has found this of a work tree that may have been another one; nothing ran since.
        acceptSettings: named !== undefined,
        ...facts,
      });
    });
  if (inWorktree) return inLinkedTree(origin, { runId }, runIn);
  return runIn(origin, () => {}).catch((error: unknown) => {
    throw besideAnother(error);
  });
}

/** An id is given away once: a run that got to its first save is resumed. */
async function rejectKnown(workspace: Workspace, runId: string): Promise<void> {
  const { loaded } = await loadRun(runStores(workspace, runId));
  if (loaded === undefined) return;
  const next: readonly NextStep[] = [{ do: "resume", runId }];
  throw new RunsError("ERR_STATE", `there is a run ${runId} already`, { next });
}

/** Whoever starts a run, and only they, can also work beside the one that holds the tree. */
function besideAnother(error: unknown): unknown {
  if (!(error instanceof RunsError) || error.code !== "ERR_LOCKED") return error;
  const beside = { inWorktree: true } as const;
  const note = "beside it, in a tree of its own";
  const next: readonly NextStep[] = [...error.next, { do: "start", options: beside, note }];
  return new RunsError("ERR_LOCKED", error.message, { cause: error, next });
}

/**
 * Refuses to pass over a run that was interrupted, or one whose agent still works in the tree, and
 * ends what else runs have left running.
 */
async function rejectUnfinishedRuns(
  { workspace, tell }: Session,
  user: Pick<User, "existingSealKey">,
  isNew: boolean,
): Promise<void> {
  const ids = openRunIds(workspace);
  if (!isNew) {
    const removed = await removedRun(workspace);
    if (removed !== undefined) throw removedButOpen(removed);
    for await (const run of listRuns(workspace, user, ids, { live: false })) {
      if (run.status === "interrupted") throw unfinishedRun(run);
    }
  }
  await clearTree(workspace, await findLeftoverProcesses(ids), tell);
  await endContained(ids);
}

/** Refuses a run whose first turns are known to be stopped by its limits: it would be paid for nothing. */
function assertBudget(
  { root: workTree }: Workspace,
  { untouchablePaths }: TreeFacts,
  run: RunOptions & {
    readonly runId: string;
    readonly task: string;
    readonly conventions: string;
  },
): void {
  const refusal = refuseStart({ ...run, workTree, untouchablePaths });
  if (refusal === undefined) return;
  const { message, role, neededBudgetUsd, neededTurnBudgetUsd } = refusal;
  const limits = {
    ...(neededBudgetUsd > 0 && { maxBudgetUsd: neededBudgetUsd }),
    ...(neededTurnBudgetUsd > 0 && { maxTurnBudgetUsd: neededTurnBudgetUsd }),
  };
  throw new RunsError("ERR_BUDGET", message, {
    next: [
      { do: "start", options: limits },
      { do: "start", options: { cheaper: role }, note: "a cheaper model" },
    ],
  });
}

/** Of one that stopped, too: what is known of it stands where the next run keeps its compatibility checkpoint. */
function removedButOpen({ id, task }: RunSummary): RunsError {
  const message = `run ${id} of this work tree has not ended, and its folder was removed: ${firstLine(task)}`;
  return new RunsError("ERR_UNFINISHED_RUN", message, {
    next: [{ do: "resume" }, startNew("takes the place of the other one, which is lost")],
  });
}

function unfinishedRun({ id, task }: ListedRun): RunsError {
  const message = `run ${id} of this work tree was interrupted: ${firstLine(task)}`;
  return new RunsError("ERR_UNFINISHED_RUN", message, {
    next: [{ do: "resume" }, startNew("leaves the other one for later")],
  });
}

function startNew(note: string): NextStep {
  return { do: "start", options: { isNew: true }, note };
}
