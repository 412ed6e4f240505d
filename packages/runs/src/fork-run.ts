import { join } from "node:path";
import type { Checkpoint } from "@quasar/checkpoint";
import { lockWorkspace } from "./driving/lock.ts";
import { RunsError } from "./errors.ts";
import { IS_A_PROMPT } from "./next-step.ts";
import { forkOf } from "./fork.ts";
import { noteFact, readFacts } from "./journal/journal.ts";
import { findRun } from "./look/find.ts";
import { newRunId } from "./run-id.ts";
import { runStores } from "./store.ts";
import type { User } from "./user/user.ts";
import { inLinkedTree, ownBranch } from "./work-tree.ts";
import type { Workspace } from "./workspace.ts";

export interface ForkRunOptions {
  /** The cycle after whose end the new run continues. @default where the run stands */
  readonly at?: number | undefined;
  /** Whether a checkpoint that this machine did not write is taken for a task. @default false */
  readonly trust?: boolean | undefined;
  /** Told what could not be kept on record. @default nobody */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** A new run that continues from a state of another one. */
export interface Forked {
  readonly runId: string;
  /** Its own work tree. */
  readonly workspace: Workspace;
  readonly branch: string;
  /** From which it is resumed. */
  readonly checkpoint: Checkpoint;
}

/**
 * Makes a new run that continues from a state of another one, in a work tree of its own.
 *
 * @throws {RunsError} `ERR_FOREIGN_CHECKPOINT`; `ERR_USAGE` for a cycle that is not whole or a run that is not there;
 *   `ERR_NOTHING_TO_RESUME` where there is nothing to do.
 */
export async function forkRun(
  workspace: Workspace,
  user: Pick<User, "sealKey">,
  from: string,
  { at, trust = false, onProblem = () => {} }: ForkRunOptions = {},
): Promise<Forked> {
  const sealKey = user.sealKey();
  const { dir, loaded } = await findRun(workspace, from, sealKey);
  const { checkpoint, seal } = loaded;
  if (seal !== "valid" && !trust) throw foreign(from);
  const now = new Date();
  const runId = newRunId(now);
  const point = { runId, at, createdAt: now.toISOString(), facts: readFacts(dir) };
  const branch = ownBranch(runId);
  const state = forkOf({ ...checkpoint, runId: from }, point);
  // Settings name programs to be run: those of a foreign checkpoint are not taken.
  const settings = seal === "valid" ? state.settings : undefined;
  const forked = { ...state, branch, settings };
  const made = { runId, from: forked.gitSha };
  const tree = await inLinkedTree(workspace, made, async (forkedTree, keep) => {
    const lock = await lockWorkspace(forkedTree);
    try {
      const { current } = runStores(forkedTree, runId, sealKey);
      const begun = { type: "forked", from, cycle: forked.cycle };
      noteFact(join(forkedTree.runsDir, runId), begun, onProblem);
      await current.save(forked);
      keep();
    } finally {
      lock.release();
    }
    return forkedTree;
  });
  return { runId, workspace: tree, branch, checkpoint: forked };
}

function foreign(runId: string): RunsError {
  const message = `this machine did not write the checkpoint of run ${runId}`;
  return new RunsError("ERR_FOREIGN_CHECKPOINT", message, {
    next: [{ do: "fork", runId, options: { trust: true }, note: IS_A_PROMPT }],
  });
}
