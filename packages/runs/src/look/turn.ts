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

/** The file in which what the agent of a turn printed begins. @param dir - The run's folder. */
export function printedPath(dir: string, turnId: string): string {
  return join(turnsFolder(dir), `${turnId.slice(turnId.lastIndexOf(".") + 1)}.out`);
}

/** A turn whose end is not known, for its agent to look for. */
export function unfinishedTurn(
  workspace: Workspace,
  checkpoint: Checkpoint,
): UnfinishedTurn | undefined {
  const { turn, runId } = checkpoint;
  return turn && storedTurn(foldersOf(workspace, runId), checkpoint, turn.id);
}

/** Where a run works, and where it is stored. */
export interface RunFolders {
  /** The top folder of its work tree. */
  readonly workTree: string;
  /** The run's own folder. */
  readonly dir: string;
}

export function foldersOf({ root, runsDir }: Workspace, runId: string): RunFolders {
  return { workTree: root, dir: join(runsDir, runId) };
}

/** Any turn of a run, ended or not, for its files to be read; `undefined` where the checkpoint does not know it. */
export function storedTurn(
  folders: RunFolders,
  checkpoint: Checkpoint,
  turnId: string,
): UnfinishedTurn | undefined {
  const { turn, ledger } = checkpoint;
  if (turn?.id === turnId) {
    return { request: requestOf(folders, checkpoint, turn), process: processOf(turn) };
  }
  const role = ledger.find((entry) => entry.turnId === turnId)?.role;
  if (role === undefined) return undefined;
  const ended = { id: turnId, role, reservedUsd: 0, sessionId: "", resumed: false };
  return { request: requestOf(folders, checkpoint, ended), process: undefined };
}

/** As its agent was asked, but for the prompt; what is known of it alone where it is no longer the last. */
function requestOf(
  { workTree, dir }: RunFolders,
  { runId, maxBudgetUsd }: Checkpoint,
  { id, role, reservedUsd, sessionId, resumed }: NamedTurn,
): AgentRequest {
  return {
    runId,
    turnId: id,
    role,
    prompt: "",
    systemPrompt: "",
    workTree,
    access: role === "coder" ? "write" : "read",
    maxCostUsd: maxBudgetUsd === 0 ? undefined : reservedUsd,
    outputSchema: role === "reviewer" ? REVIEW_SCHEMA : undefined,
    sessionId: sessionId === "" ? undefined : sessionId,
    resumesSession: resumed,
    turnsDir: turnsFolder(dir),
  };
}

type NamedTurn = Pick<CheckpointTurn, "id" | "role" | "reservedUsd" | "sessionId" | "resumed">;
