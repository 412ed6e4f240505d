import type { Landed } from "@quasar/git/gaps";
import type { Ending } from "../ending.ts";
import { beginOfTurns } from "../state.ts";
import type { LoopRepository } from "../repository/repository.ts";
import type { Run } from "../run.ts";
import { isProtected, listPaths } from "./untouchable.ts";
import { gitEnding, seenOf } from "../repository/work-tree.ts";

/**
 * Makes the files that the run has committed what a clone has of them, before a check reads them, and names
 * those that were not.
 *
 * @returns What the run has committed, or an ending: git could not be asked. `undefined` where nothing is checked.
 * @see SPEC.md, "What a commit cannot hold"
 */
export async function makeAsCloned(run: Run): Promise<Landed | Ending | undefined> {
  const { repository } = run.ports;
  const { head } = run;
  if (repository === undefined || !run.runKind.isLoop || head === "") return undefined;
  try {
    const landed = await repository.landed(run.state.baseCommitSha, head);
    run.tree = { head, id: landed.tree };
    await writeAsCloned(run, repository, landed);
    return landed;
  } catch (error) {
    return gitEnding("what was committed could not be read", error);
  }
}

async function writeAsCloned(
  run: Run,
  repository: LoopRepository,
  { files }: Landed,
): Promise<void> {
  const seen = await seenOf(run, repository);
  const others = new Set(seen.dirty.map(({ path }) => path));
  const own = files.filter(
    ({ path }) => !others.has(path) && !isProtected(path, run.state.untouchablePaths),
  );
  const { converted, notExecutable } = await repository.asCheckedOut(own, seen);
  if (converted.length > 0) {
    run.seen = undefined;
    const list = listPaths(converted).join(", ");
    await run.warnOnce(
      `written as a clone has them, as git converts their line endings or encoding: ${list}`,
    );
  }
  if (notExecutable.length > 0) {
    const list = listPaths(notExecutable).join(", ");
    await run.warnOnce(
      `executable here, and not in a clone, as core.fileMode is false: ${list} (git update-index --chmod=+x FILE)`,
    );
  }
}

/** The empty folders that came in the run. */
export async function newEmptyFolders(
  { state }: Run,
  repository: LoopRepository,
): Promise<readonly string[]> {
  const began = beginOfTurns(state);
  return began === undefined ? [] : repository.emptyFolders(began);
}

/** Names empty folders, for a clone has none. */
export async function nameEmptyFolders(run: Run, folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const list = listPaths(folders).join(", ");
  await run.warn(
    `a clone will not have these folders, as git holds no empty ones (put a file in them if they are needed): ${list}`,
  );
}
