import { join } from "node:path";
import { prewarm } from "@quasar/agents/turns";
import { nextTurnId } from "@quasar/loop/internal";
import { isTurnOpen } from "@quasar/loop/turn";
import { endContained } from "@quasar/process";
import { readFacts } from "../journal/journal.ts";
import { clearTree, lookAround } from "../driving/orphans.ts";
import { driverOf } from "../driving/run-driver.ts";
import { type DriveOptions, inSession, type Session } from "../driving/session.ts";
import type { Notice, RunEnd } from "../events.ts";
import { limitOf, assertWaitAllowed, withoutPause } from "../limits/patience.ts";
import { openRunIds } from "../look/list.ts";
import { turnsPath } from "../look/turn.ts";
import type { RunOptions } from "../run-options.ts";
import { storedUnreportedCosts } from "../store.ts";
import { freeGit } from "../tree/git-locks.ts";
import { type LeftoverProcesses, leftoversBeside } from "../tree/processes.ts";
import type { User } from "../user/user.ts";
import { listed } from "../work-tree.ts";
import { work } from "../work.ts";
import type { Workspace } from "../workspace.ts";
import { type FoundCheckpoint, findCheckpoint, recoverRun } from "./find.ts";
import { agentsWork, inspect, judge, type Override, usersPaths } from "./judge.ts";

/** What a run is resumed with. */
export interface ResumedWith extends RunOptions {
  /** Whether another agent takes the turn that met a usage limit: it has limits of its own. @default false */
  readonly hasOtherLimits?: boolean | undefined;
}

export interface ResumeRunOptions extends DriveOptions {
  /** @default the newest unfinished run, else what another program has left in `.quasar` */
  readonly runId?: string | undefined;
  /** What the user accepts. @default nothing */
  readonly accepts?: ReadonlySet<Override> | undefined;
  /** Whether an agent is asked although its usage limit is not lifted yet. @default false */
  readonly now?: boolean | undefined;
  /** Says what the run is resumed with, once it is found and nothing stands against it. */
  readonly choose: (found: FoundCheckpoint) => ResumedWith;
}

/**
 * Continues a run of a work tree exactly where it was cut off.
 *
 * @throws {RunsError} When something stands against it; what `choose` throws.
 */
export async function resumeRun(
  workspace: Workspace,
  user: Pick<User, "sealKey">,
  options: ResumeRunOptions,
): Promise<RunEnd> {
  return inSession(workspace, options, async (session) => {
    await freeGit(driverOf(session));
    const sealKey = user.sealKey();
    const { leftovers, noProcessInTree } = await lookAround(workspace);
    const found = await findCheckpoint(workspace, options.runId, sealKey, recoverRun);
    const dispose = prewarmTurn(workspace, found, leftovers);
    try {
      return await resumeFound(session, { found, leftovers, noProcessInTree, sealKey, options });
    } finally {
      dispose();
    }
  });
}

/** What a run is resumed with. */
interface Resuming {
  readonly found: FoundCheckpoint;
  /** Of the runs of this tree, as it was before anything else was read. */
  readonly leftovers: readonly LeftoverProcesses[];
  /** Nobody is left in the work tree. */
  readonly noProcessInTree: boolean;
  readonly sealKey: Uint8Array;
  readonly options: ResumeRunOptions;
}

async function resumeFound(session: Session, resuming: Resuming): Promise<RunEnd> {
  const { found, leftovers, noProcessInTree, sealKey, options } = resuming;
  const { accepts = NOTHING, now = false } = options;
  const { workspace, tell } = session;
  const { runId, loaded, stores } = found;
  const { checkpoint } = loaded;
  if (noProcessInTree) {
    await endContained([runId, ...openRunIds(workspace)]);
  } else {
    await clearTree(workspace, leftoversBeside(leftovers, runId, checkpoint), tell);
  }
  // Last: who has gone by now has written nothing after what is seen here.
  const facts = await inspect(workspace, found);
  for (const message of loaded.problems) {
    tell({ type: "warning", cycle: checkpoint.cycle, message });
  }
  const judged = judge(workspace, found, facts);
  for (const { what, error } of judged.obstacles) {
    if (what === undefined || !accepts.has(what)) throw error;
    session.note({ type: "accepted", what, why: error.message });
  }
  const { hasOtherLimits = false, ...given } = options.choose(found);
  const retryAt = now || hasOtherLimits ? undefined : limitOf(checkpoint);
  if (retryAt !== undefined) assertWaitAllowed(runId, retryAt, given.waitLimitMs ?? 0);
  session.begin(runId);
  const others = options.runId === undefined ? othersNote(workspace, runId) : undefined;
  const asked = now ? withoutPause(checkpoint) : checkpoint;
  // Who is left may change the tree, and while a limit is waited for anybody.
  const isSettled = leftovers.length === 0 && retryAt === undefined;
  return work(session, {
    runId,
    task: checkpoint.taskTitle,
    notices: [agentsWork(judged), others].filter((notice) => notice !== undefined),
    branch: facts.branch,
    options: given,
    stores,
    left: { ...asked, runId },
    look: isSettled ? async () => facts : undefined,
    sealKey,
    baseCommit: checkpoint.baseCommitSha,
    spending: {
      spentUsd: checkpoint.totalCostUsd,
      unknownUsd: checkpoint.unknownCostUsd,
      hasUnreportedCosts: storedUnreportedCosts(checkpoint),
    },
    untouchablePaths: [...checkpoint.untouchablePaths, ...usersPaths(judged)],
    acceptHead: accepts.has("head"),
    acceptBranch: accepts.has("branch"),
    acceptSettings: accepts.has("settings"),
    retryAt,
  });
}

const NOTHING: ReadonlySet<Override> = new Set();

/**
 * A turn that was killed is mostly taken again, after some looking around, while its supervisor starts. Where an
 * agent may live on, its turn is followed.
 */
function prewarmTurn(
  workspace: Workspace,
  { runId, loaded }: FoundCheckpoint,
  leftovers: readonly LeftoverProcesses[],
): () => void {
  const { checkpoint } = loaded;
  if (leftovers.length > 0 || !isTurnOpen(checkpoint)) return () => {};
  const turnId = nextTurnId({ ...checkpoint, runId });
  return prewarm({ runId, turnId, turnsDir: turnsPath(workspace, runId) });
}

/**
 * Names the runs that wait for a resume beside the one that is resumed, without reading them, and how to be rid of
 * one; once for each time that they change.
 */
function othersNote(workspace: Workspace, runId: string): Notice | undefined {
  const others = openRunIds(workspace).filter((id) => id !== runId);
  const [first] = others;
  if (first === undefined) return undefined;
  const stopped = others.length === 1 ? "another run is stopped" : "other runs are stopped";
  const message = `note: ${stopped}: ${listed(others).join(", ")}`;
  const facts = readFacts(join(workspace.runsDir, runId));
  return facts.some((fact) => fact["message"] === message)
    ? undefined
    : { type: "notice", message, next: [{ do: "abandon", runId: first }] };
}
