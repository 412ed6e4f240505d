import { join } from "node:path";
import { CheckpointError } from "@quasar/checkpoint";
import { readJournal } from "@quasar/durable/journal";
import { isAgentAlive } from "@quasar/loop/turn";
import { lockHolder } from "./driving/lock.ts";
import { followItems, type FollowOptions } from "./follow-items.ts";
import type { Fact } from "./journal/fact.ts";
import { isFact, JOURNAL_FILE } from "./journal/journal.ts";
import { loadRun, type RunFiles, runStores } from "./store.ts";
import type { Workspace } from "./workspace.ts";

/**
 * What a run has gone through, oldest first, as far as its journal's chain holds; with `follow` until no runner and no agent
 * works on it.
 *
 * @returns At the end: what is wrong with the journal; `undefined`: nothing.
 */
export function followRun(
  workspace: Workspace,
  runId: string,
  options: FollowOptions = {},
): AsyncGenerator<Fact, string | undefined> {
  const path = join(workspace.runsDir, runId, JOURNAL_FILE);
  return followItems(
    {
      grows: () => isGoingOn(workspace, runId),
      read() {
        const { records = [], damage } = readJournal(path, { joins: true }) ?? {};
        return { items: records.map(({ data }) => data).filter(isFact), end: damage?.message };
      },
    },
    options,
  );
}

/** Whether a runner or an agent works on it. */
async function isGoingOn(workspace: Workspace, runId: string): Promise<boolean> {
  if (lockHolder(workspace)?.runId === runId) return true;
  const { loaded } = await loadRun(runStores(workspace, runId)).catch(unreadable);
  return loaded !== undefined && isAgentAlive(loaded.checkpoint);
}

function unreadable(error: unknown): Pick<RunFiles, "loaded"> {
  if (error instanceof CheckpointError) return { loaded: undefined };
  throw error;
}
