import { join } from "node:path";
import type { Checkpoint } from "@quasar/checkpoint";
import { processOf, type UnfinishedTurn } from "@quasar/loop";
import type { Workspace } from "../workspace.ts";

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
    process: processOf(turn),
  };
}
