import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CheckpointError } from "@quasar/checkpoint";
import { readJournal } from "@quasar/durable/journal";
import { isAgentAlive } from "@quasar/loop/turn";
import { lockHolder } from "./driving/lock.ts";
import { codeOf } from "./errors.ts";
import type { Fact } from "./journal/fact.ts";
import { isFact, JOURNAL_FILE } from "./journal/journal.ts";
import { loadRun, type RunFiles, runStores } from "./store.ts";
import type { Workspace } from "./workspace.ts";

const LOOK_MS = 250;

export interface FollowOptions {
  /** Whether it waits for more while a runner or an agent works on the run. @default false */
  readonly follow?: boolean | undefined;
  /** Ends it, while it waits too. @default never */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What a run has gone through, oldest first, as far as its journal's chain holds.
 *
 * @returns At the end: what is wrong with the journal; `undefined`: nothing.
 */
export async function* followRun(
  workspace: Workspace,
  runId: string,
  { follow = false, signal }: FollowOptions = {},
): AsyncGenerator<Fact, string | undefined> {
  let shown = 0;
  for (;;) {
    // In this order: what the run says at its end is read after it was seen to have ended.
    const isOver = !follow || !(await isGoingOn(workspace, runId));
    const journal = readJournal(join(workspace.runsDir, runId, JOURNAL_FILE), { joins: true });
    const records = journal?.records ?? [];
    // A damaged one has been quarantined, and this is another.
    if (records.length < shown) shown = 0;
    for (const { data } of records.slice(shown)) if (isFact(data)) yield data;
    shown = records.length;
    if (isOver) return journal?.damage?.message;
    await sleep(LOOK_MS, undefined, { signal }).catch(unlessAborted);
    if (signal?.aborted === true) return undefined;
  }
}

function unlessAborted(error: unknown): void {
  if (codeOf(error) !== "ABORT_ERR") throw error;
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
