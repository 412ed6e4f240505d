import { join } from "node:path";
import type { AgentRequest } from "@quasar/agents";
import type { UnfinishedTurn } from "@quasar/agents/turns";
import type { Checkpoint, CheckpointTurn } from "@quasar/checkpoint";
import { processOf } from "@quasar/loop/internal";
import { REVIEW_SCHEMA } from "@quasar/loop/review";
import { turnsFolder } from "../tree/turns-folder.ts";
import type { Workspace } from "../workspace.ts";

/** Where the files of a run's turns are. */
export function turnsPath({ runsDir }: Pick<Workspace, "runsDir">, runId: string): string {
  return turnsFolder(join(runsDir, runId));
}

/** A turn whose end is not known, for its agent to look for. */
export function unfinishedTurn(
  workspace: Workspace,
  checkpoint: Checkpoint,
): UnfinishedTurn | undefined {
  const { turn } = checkpoint;
  if (turn === undefined) return undefined;
  return { request: requestOf(workspace, checkpoint, turn), process: processOf(turn) };
}

/** As its agent was asked, but for the prompt; what is known of it alone where it is no longer the last. */
export function requestOf(
  workspace: Workspace,
  { runId, maxBudgetUsd }: Checkpoint,
  { id, role, reservedUsd, sessionId, resumed }: NamedTurn,
): AgentRequest {
  return {
    runId,
    turnId: id,
    role,
    prompt: "",
    systemPrompt: "",
    workDir: workspace.root,
    access: role === "coder" ? "write" : "read",
    maxCostUsd: maxBudgetUsd === 0 ? undefined : reservedUsd,
    outputSchema: role === "reviewer" ? REVIEW_SCHEMA : undefined,
    sessionId: sessionId === "" ? undefined : sessionId,
    resumesSession: resumed,
    turnsDir: turnsPath(workspace, runId),
  };
}

type NamedTurn = Pick<CheckpointTurn, "id" | "role" | "reservedUsd" | "sessionId" | "resumed">;
