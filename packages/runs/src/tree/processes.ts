import { endRunProcesses, listRunProcesses, type RunProcess } from "@quasar/agents/turns";
import type { Checkpoint } from "@quasar/checkpoint";
import { isTurnOpen } from "@quasar/loop/turn";
import { isInWorkTree } from "./within.ts";

/** Processes of a run that may have outlived whoever drove it. */
export interface LeftoverProcesses {
  readonly runId: string;
  readonly pids: readonly number[];
}

/**
 * What runs have left running, by run; this process excepted. None where nobody can know. Changes nothing.
 *
 * @param all - The processes of all runs. @default those that are there now
 */
export function findLeftovers(
  isOwn: (runId: string) => boolean,
  all: readonly RunProcess[] = listRunProcesses() ?? [],
): readonly LeftoverProcesses[] {
  const byRun = Map.groupBy(
    all.filter(({ runId }) => isOwn(runId)),
    ({ runId }) => runId,
  );
  return [...byRun].map(([runId, processes]) => ({ runId, pids: processes.map(({ pid }) => pid) }));
}

/**
 * What is to be ended before a run continues: all but its own processes while the end of its turn is not known, which
 * the loop follows or ends.
 *
 * @param checkpoint - What is stored of the run; `undefined`: it begins.
 */
export function leftoversBeside(
  leftovers: readonly LeftoverProcesses[],
  runId: string,
  checkpoint: Checkpoint | undefined,
): readonly LeftoverProcesses[] {
  const isFollowed = checkpoint !== undefined && isTurnOpen(checkpoint);
  return leftovers.filter((each) => each.runId !== runId || !isFollowed);
}

/**
 * Ends what these runs have left running, as {@link endRun} does.
 *
 * @returns What even that has not ended, or may not have.
 */
export async function endLeftovers(
  leftovers: readonly LeftoverProcesses[],
): Promise<readonly LeftoverProcesses[]> {
  const left: LeftoverProcesses[] = [];
  for (const { runId, pids: before } of leftovers) {
    // Where nobody can know, all of them may be left.
    const pids = (await endRun(runId)) ?? before;
    if (pids.length > 0) left.push({ runId, pids });
  }
  return left;
}

/** The run whose agent has started this process, if one has. */
const STARTED_BY: string | undefined = process.env["QUASAR_RUN_ID"];

/**
 * Of a list of processes those that runs have left in a work tree, but for who has started this one.
 *
 * @returns `undefined` where nobody can know.
 */
export function processesIn(
  root: string,
  all: readonly RunProcess[],
): readonly RunProcess[] | undefined {
  const others = all.filter(({ runId }) => runId !== STARTED_BY);
  const placed = others.map((each) => ({ each, workTree: each.workTree }));
  const here = placed.filter(({ workTree = "" }) => isInWorkTree(workTree, root));
  return placed.some(({ workTree }) => workTree === undefined)
    ? undefined
    : here.map(({ each }) => each);
}

/**
 * Processes in a work tree of runs that are somebody else's there: an agent may outlive whoever drove it.
 *
 * @param root - Of the work tree, absolute.
 * @returns None where nobody can know.
 */
export function foreignProcessesIn(
  root: string,
  isOwn: (runId: string) => boolean,
): readonly RunProcess[] {
  const others = (listRunProcesses() ?? []).filter(({ runId }) => !isOwn(runId));
  return processesIn(root, others) ?? [];
}

/**
 * Ends all that a run has left running: asked first, as Claude Code writes down what a turn has cost when it is
 * interrupted, and killed two seconds later.
 *
 * @returns What even that has not ended; `undefined` where nobody can know.
 */
async function endRun(runId: string): Promise<readonly number[] | undefined> {
  return (await endRunProcesses(runId, { signal: "SIGINT", graceMs: 2000 }))?.left;
}
