import type { Repository } from "@quasar/git";
import { headAndChanges, hiddenChanges } from "@quasar/git/internal";
import { changedInCheckOut, checkOutCommit } from "@quasar/git/landing";
import { treeToCommit } from "@quasar/git/work-trees";
import { signReceipt } from "@quasar/receipts";
import type { Engine } from "../context/context.ts";
import { runShell } from "../commands/run-shell.ts";
import { isWhole } from "../trees/whole.ts";

/** A commit to be verified, and its tree. */
export interface Candidate {
  readonly commit: string;
  readonly tree: string;
  /** From 1. */
  readonly attempt: number;
}

interface OneCommand {
  readonly command: string;
  /** Holds the candidate. */
  readonly tree: Repository;
  readonly candidate: Candidate;
  readonly configSha256: string;
}

/**
 * Runs a command of the verification once, and signs how it has ended and what was there then. It has failed, too, where
 * that is not the candidate any more: what it has judged may be something else.
 *
 * @returns Why it has failed, if it has.
 */
export async function verifyOnce(
  engine: Engine,
  { command, tree, candidate, configSha256 }: OneCommand,
): Promise<string | undefined> {
  const { home, keys, store, signal } = engine;
  const ran = await runShell(engine, { command, path: tree.root, dir: home.receipts });
  const isThere = await isWhole(tree);
  const after = isThere ? await lookAt(tree.root, candidate, signal) : UNSEEN;
  const { end, startedAt } = ran;
  signReceipt(
    {
      receiptId: ran.id,
      workspaceId: "nebula",
      taskId: store.current.id,
      stepName: "verify",
      attempt: candidate.attempt,
      command,
      argv: ran.argv,
      exitCode: end.exitCode,
      signal: end.signal,
      startedAt: startedAt.toISOString(),
      completedAt: new Date(startedAt.getTime() + end.durationMs).toISOString(),
      durationMs: end.durationMs,
      configSha256,
      commitBefore: candidate.commit,
      treeBefore: candidate.tree,
      commitAfter: after.commit,
      treeAfter: after.tree,
    },
    { keys, dir: home.receipts },
  );
  if (!isThere) {
    return `[verify] ${command} removed its work tree or what git has there, so it has not judged what lands; ${ran.outcome}`;
  }
  const isMoved = after.commit !== candidate.commit;
  // At once: a branch that is checked out here is in the way of its landings.
  if (isMoved || after.isOnBranch) await checkOutCommit(tree, candidate.commit, { signal });
  if (isMoved) {
    const where = after.commit?.slice(0, 10) ?? "a branch without a commit";
    return `[verify] ${command} moved HEAD to ${where}, so it has not judged what lands; ${ran.outcome}`;
  }
  if (end.exitCode !== 0) return `[verify] ${command} ${ran.outcome}`;
  if (after.changed.length === 0) return undefined;
  return `[verify] ${command} changed: ${after.changed.join(", ")}`;
}

/** What is in the work tree once a command has ended. */
interface After {
  /** `undefined`: HEAD is on a branch that has none, or there is no work tree. */
  readonly commit: string | undefined;
  readonly isOnBranch: boolean;
  /** `undefined`: no commit can hold it, since git was asked not to look at some of it. */
  readonly tree: string | undefined;
  /** Paths that are not as the commit has them. */
  readonly changed: readonly string[];
}

/** Git cannot say what is there. */
const UNSEEN: After = { commit: undefined, isOnBranch: false, tree: undefined, changed: [] };

async function lookAt(
  path: string,
  { commit, tree }: Candidate,
  signal: AbortSignal,
): Promise<After> {
  const { head, branch, dirty: seen } = await headAndChanges(path, { signal });
  const dirty = seen.length === 0 ? seen : await changedInCheckOut(path, { signal });
  const hidden = await hiddenChanges(path, { signal });
  const isSame = head === commit && dirty.length === 0;
  const found = isSame ? tree : await treeToCommit(path, { signal });
  return {
    commit: head === "" ? undefined : head,
    isOnBranch: branch !== undefined,
    tree: hidden.length === 0 ? found : undefined,
    changed: [...new Set([...dirty, ...hidden].map((each) => each.path))],
  };
}
