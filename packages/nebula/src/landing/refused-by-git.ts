import { existsSync } from "node:fs";
import { GitError, type GitErrorCode } from "@quasar/git";
import { quarantineWorkTree, requireObjects } from "@quasar/git/landing";
import { fullDiskOf } from "@quasar/runs/internal";
import { branchTip, type Engine } from "../context/context.ts";
import { boundText } from "../state/bounds.ts";
import { report } from "../state/report.ts";
import { treePath } from "../trees/tree.ts";

/** A power cut or a clean-up by hand has taken an object. */
const LOST: ReadonlySet<GitErrorCode> = new Set(["ERR_MISSING_OBJECT", "ERR_BROKEN_HEAD"]);

/** What git cannot do with the commits or the refs of one phase. */
const REFUSED: ReadonlySet<GitErrorCode> = new Set([
  ...LOST,
  ...(["ERR_GIT_FAILED", "ERR_BAD_REVISION", "ERR_INVALID_ARGUMENT", "ERR_NAME_TAKEN"] as const),
]);

/**
 * Works on a phase, or lands it. Where git fails in that, it is done once more, and where git fails in the same way then, a
 * person decides what becomes of the phase: the others continue.
 *
 * @param act - Can be done again, whatever it has got to.
 * @returns `undefined` where a person decides.
 * @throws What it throws, where that is about something else than the phase: a disk, a lock, the branch.
 */
export async function unlessRefused<T>(
  engine: Engine,
  id: string,
  act: () => Promise<T>,
): Promise<T | undefined> {
  const first = await act().catch(asRefused);
  if (!(first instanceof Refused)) return first;
  const again = await act().catch(asRefused);
  if (!(again instanceof Refused)) return again;
  if (again.error.code !== first.error.code) throw again.error;
  await waitForPerson(engine, id, again.error);
  return undefined;
}

/** That git has refused something of a phase. */
class Refused {
  readonly error: GitError;

  constructor(error: GitError) {
    this.error = error;
  }
}

function asRefused(error: unknown): Refused {
  if (isRefused(error)) return new Refused(error);
  throw error;
}

function isRefused(error: unknown): error is GitError {
  if (!(error instanceof GitError) || !REFUSED.has(error.code)) return false;
  // Of another git, which ends; it is no matter of the phase.
  return fullDiskOf(error) === undefined && !/\.lock': File exists/u.test(error.message);
}

/** @throws {GitError} `ERR_MISSING_OBJECT` where it is the branch that lacks an object. */
async function waitForPerson(engine: Engine, id: string, error: GitError): Promise<void> {
  const { repository, store, signal, tell } = engine;
  signal.throwIfAborted();
  await requireObjects(repository, await branchTip(engine), { signal });
  const isLost = LOST.has(error.code);
  const { ref, status } = store.phase(id);
  // Before the state: a retry begins in a tree of its own, which this one cannot become.
  const path = treePath(engine, ref);
  if ((isLost || status === "running") && existsSync(path)) {
    const kept = await quarantineWorkTree(repository, path, { signal });
    tell({ type: "warning", phase: id, message: `the files of its work tree are kept in ${kept}` });
  }
  const what = isLost ? "git lacks an object of it" : "git has failed in it twice";
  const reason = boundText(`${what}, and a retry begins it again: ${error.message}`);
  const waiting = { status: "awaiting_human", question: "rework", reason } as const;
  report(engine, id, waiting, { type: "phase_waits", phase: id, reason });
}
