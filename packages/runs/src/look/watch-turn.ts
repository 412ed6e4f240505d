import { setTimeout as sleep } from "node:timers/promises";
import { watchTurn, type WatchTurnOptions } from "@quasar/agents";
import type { Checkpoint } from "@quasar/checkpoint";
import { isTurnOpen, processOf } from "@quasar/loop";
import { loadRun, runStores } from "../store.ts";
import type { Workspace } from "../workspace.ts";
import { requestOf } from "./turn.ts";

const LOOK_MS = 250;

/**
 * Tells what the agent of a run's turn has said and done, while it works or after. Takes no lock and writes nothing.
 *
 * @param turnId - `<run id>.<n>`.
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
    const { loaded } = await loadRun(runStores(workspace, runId));
    if (loaded === undefined) return false;
    const { turn } = loaded.checkpoint;
    const checkpoint = { ...loaded.checkpoint, runId };
    const last = turn?.id === turnId ? turn : undefined;
    const isBeginning =
      last !== undefined && processOf(last) === undefined && isTurnOpen(checkpoint);
    if (follow && isBeginning && signal?.aborted !== true) {
      await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
      continue;
    }
    return watchTurnOf(workspace, checkpoint, turnId, options);
  }
}

function watchTurnOf(
  workspace: Workspace,
  checkpoint: Checkpoint,
  turnId: string,
  options: WatchTurnOptions,
): Promise<boolean> {
  const { turn, ledger } = checkpoint;
  const last = turn?.id === turnId ? turn : undefined;
  const role = last?.role ?? ledger.find((entry) => entry.turnId === turnId)?.role;
  if (role === undefined) return Promise.resolve(false);
  const named = last ?? { id: turnId, role, reservedUsd: 0, sessionId: "", resumed: false };
  const request = requestOf(workspace, checkpoint, named);
  return watchTurn({ request, process: last && processOf(last) }, options);
}

/** US dollars that the agent of a run's last turn has told of so far; `undefined`: of none. */
export async function toldCost(
  workspace: Workspace,
  checkpoint: Checkpoint,
): Promise<number | undefined> {
  const { turn } = checkpoint;
  if (turn === undefined) return undefined;
  let costUsd: number | undefined;
  await watchTurnOf(workspace, checkpoint, turn.id, {
    onEvent: (event) => {
      if (event.type === "usage") costUsd = Math.max(costUsd ?? 0, event.costUsd);
    },
  });
  return costUsd;
}
