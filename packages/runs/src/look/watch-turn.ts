import { setTimeout as sleep } from "node:timers/promises";
import { watchTurn, type WatchTurnOptions } from "@quasar/agents/turns";
import type { Checkpoint } from "@quasar/checkpoint";
import { isTurnOpen } from "@quasar/loop/turn";
import { loadRun, runStores } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { foldersOf, storedTurn, unfinishedTurn } from "./turn.ts";

const LOOK_MS = 250;

/**
 * Tells what the agent of a run's turn has said and done, while it works or after. Takes no lock and writes nothing.
 *
 * @param turnId - `<run id>.<n>`.
 * @param options - With `follow` a turn that is not on record yet is waited for, until `signal` is aborted.
 * @returns Whether the run knows the turn, and its files are still there.
 * @throws {CheckpointError} Where the run's state cannot be read.
 */
export async function watchRunTurn(
  workspace: Workspace,
  runId: string,
  turnId: string,
  options: WatchTurnOptions,
): Promise<boolean> {
  const { follow = false, signal } = options;
  for (;;) {
    const isWaitedFor = follow && signal?.aborted !== true;
    const { loaded } = await loadRun(runStores(workspace, runId));
    const checkpoint = loaded && { ...loaded.checkpoint, runId };
    const turn = checkpoint && storedTurn(foldersOf(workspace, runId), checkpoint, turnId);
    // The journal names a turn before the checkpoint does.
    if (checkpoint === undefined || turn === undefined) {
      if (!isWaitedFor) return false;
    } else {
      const isLast = checkpoint.turn?.id === turnId;
      const isBeginning = isLast && turn.process === undefined && isTurnOpen(checkpoint);
      if (!isBeginning || !isWaitedFor) return watchTurn(turn, options);
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * US dollars that the agent of a run's last turn has told of so far; `undefined`: of none, or nobody can say.
 */
export async function reportedCost(
  workspace: Workspace,
  checkpoint: Checkpoint,
): Promise<number | undefined> {
  const turn = unfinishedTurn(workspace, checkpoint);
  if (turn === undefined) return undefined;
  let costUsd: number | undefined;
  const onEvent: WatchTurnOptions["onEvent"] = (event) => {
    if (event.type === "usage") costUsd = Math.max(costUsd ?? 0, event.costUsd);
  };
  // Who looks at a run sees all else of it, whatever its turn's files are.
  await watchTurn(turn, { onEvent }).catch(() => false);
  return costUsd;
}
