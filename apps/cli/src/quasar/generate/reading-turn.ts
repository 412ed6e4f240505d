import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { createRedactor } from "@quasar/agents/environment";
import type { Repository } from "@quasar/git";
import { addDetachedWorkTree, removeDetachedWorkTree } from "@quasar/git/landing";
import type { LoopEvent, TaskResult } from "@quasar/loop";
import type { Waiting } from "@quasar/runs/tree";
import { newRunId } from "@quasar/runs/internal";
import { driveRun, storesIn } from "@quasar/runs/tree";

export interface ReadingOptions {
  readonly agent: AgentInvoker;
  /** US dollars; 0: no limit. */
  readonly maxBudgetUsd: number;
  readonly retries: number;
  readonly waitLimitMs: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LoopEvent) => void;
  readonly say: (message: string) => void;
  readonly waiting: (event: Waiting) => void;
}

/** A copy of a commit in which agents read: nobody else works there, and what they change is lost. */
export interface ReadingRoom {
  /** One turn of an agent, which ends with this process. */
  ask(prompt: string, options: ReadingOptions): Promise<TaskResult>;
  close(): Promise<void>;
}

export async function openReadingRoom(
  repository: Repository,
  commit: string,
  signal: AbortSignal,
): Promise<ReadingRoom> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "quasar-generate-"));
  const path = join(folder, "tree");
  const close = async (): Promise<void> => {
    await removeDetachedWorkTree(repository, path).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const tree = await addDetachedWorkTree(repository, { path, commit, signal });
    return { ask: (prompt, options) => turnIn(tree, folder, prompt, options), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function turnIn(
  tree: Repository,
  folder: string,
  prompt: string,
  { agent, maxBudgetUsd, retries, waitLimitMs, signal, onEvent, say, waiting }: ReadingOptions,
): Promise<TaskResult> {
  const runId = newRunId(new Date());
  const dir = join(folder, runId);
  const run = {
    ...{ runId, dir },
    turn: "reader",
    stores: storesIn(dir, {}),
    task: { title: prompt },
  } as const;
  const driver = {
    ...{ repository: tree, signal, waiting },
    holdsLock: () => true,
    beforeSave() {},
    notice: say,
    warn: say,
  };
  const { result } = await driveRun(run, driver, {
    loop: {
      workTree: tree.root,
      coder: agent,
      reviewer: agent,
      maxBudgetUsd,
      retries,
      leash: true,
      redact: createRedactor(process.env),
      onEvent,
    },
    waitLimitMs,
  });
  return result;
}
