import { join } from "node:path";
import type { Checkpoint, CheckpointTurn } from "@quasar/checkpoint";
import { isAlive } from "@quasar/durable";
import type { AgentProcess, UnfinishedTurn } from "@quasar/loop";
import type { Workspace } from "../workspace.ts";

/** Whether a turn was begun and nobody knows how it ended. */
export function isTurnOpen({ turn, failure }: Checkpoint): boolean {
  return turn?.status === "started" && failure === "";
}

/** A turn whose end is not known, for its agent to look for. */
export function unfinishedTurn(
  { root, runsDir }: Workspace,
  { runId, turn, maxBudgetUsd }: Checkpoint,
): UnfinishedTurn | undefined {
  if (turn === undefined) return undefined;
  const { id, role, reservedUsd, sessionId, resumed } = turn;
  return {
    request: {
      runId,
      turnId: id,
      role,
      prompt: "",
      systemPrompt: "",
      workDir: root,
      access: role === "coder" ? "write" : "read",
      maxCostUsd: maxBudgetUsd === 0 ? undefined : reservedUsd,
      sessionId: sessionId === "" ? undefined : sessionId,
      resumesSession: resumed,
      turnsDir: join(runsDir, runId, "turns"),
    },
    process: turn.pid === 0 ? undefined : processOf(turn),
  };
}

function processOf({ pid, processStart, bootId, host }: CheckpointTurn): AgentProcess {
  const startTime = processStart === 0 ? undefined : processStart;
  return { pid, startTime, bootId: bootId === "" ? undefined : bootId, host };
}

/** Whether a turn's end is not known and the process that runs its agent still lives. */
export function isAgentAlive(checkpoint: Checkpoint): boolean {
  const { turn } = checkpoint;
  if (turn === undefined || turn.pid === 0 || !isTurnOpen(checkpoint)) return false;
  return isAlive(processOf(turn)) === true;
}
