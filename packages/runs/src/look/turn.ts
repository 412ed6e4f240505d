import { join } from "node:path";
import type { UnfinishedTurn } from "@quasar/agents";
import type { Checkpoint } from "@quasar/checkpoint";
import { processOf, REVIEW_SCHEMA } from "@quasar/loop";
import { turnsFolder } from "../tree/turns-folder.ts";
import type { Workspace } from "../workspace.ts";

/** Where the files of a run's turns are. */
export function turnsPath({ runsDir }: Pick<Workspace, "runsDir">, runId: string): string {
  return turnsFolder(join(runsDir, runId));
}

/** A turn whose end is not known, for its agent to look for. */
export function unfinishedTurn(
  workspace: Workspace,
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
      workDir: workspace.root,
      access: role === "coder" ? "write" : "read",
      maxCostUsd: maxBudgetUsd === 0 ? undefined : reservedUsd,
      outputSchema: role === "reviewer" ? REVIEW_SCHEMA : undefined,
      sessionId: sessionId === "" ? undefined : sessionId,
      resumesSession: resumed,
      turnsDir: turnsPath(workspace, runId),
    },
    process: processOf(turn),
  };
}
