import { existsSync } from "node:fs";
import { GitError } from "@quasar/git";
import { quarantineWorkTree, requireObjects } from "@quasar/git/landing";
import { branchTip, type Engine } from "../context/context.ts";
import { boundText } from "../state/bounds.ts";
import { report } from "../state/report.ts";
import { treePath } from "../trees/tree.ts";

/**
 * Has a person decide what becomes of a phase that git cannot read: a power cut or a clean-up by hand has taken an object
 * of it, while the others are whole. Its work tree is taken out of use, with its files.
 *
 * @throws `error`, where it is about something else; `ERR_MISSING_OBJECT`, where it is the branch that lacks one.
 */
export async function waitForObject(engine: Engine, id: string, error: unknown): Promise<void> {
  const { repository, store, signal, tell } = engine;
  const isLost =
    error instanceof GitError &&
    (error.code === "ERR_MISSING_OBJECT" || error.code === "ERR_BROKEN_HEAD");
  if (!isLost) throw error;
  await requireObjects(repository, await branchTip(engine), { signal });
  // Before the state: a retry begins in a tree of its own, which this one cannot become.
  const path = treePath(engine, store.phase(id).ref);
  if (existsSync(path)) {
    const kept = await quarantineWorkTree(repository, path, { signal });
    tell({ type: "warning", phase: id, message: `the files of its work tree are kept in ${kept}` });
  }
  const reason = boundText(
    `git lacks an object of it, and a retry begins it again: ${error.message}`,
  );
  const waiting = { status: "awaiting_human", question: "rework", reason } as const;
  report(engine, id, waiting, { type: "phase_waits", phase: id, reason });
}
