import type { Landed } from "@quasar/git";
import { beginOfTurns } from "./protected.ts";
import type { Run } from "./run.ts";
import { isProtected, listPaths } from "./untouchable.ts";
import { seenOf } from "./work-tree.ts";

/**
 * Makes the files that the run has committed what a clone has of them, before a check reads them, and names
 * those that were not.
 *
 * @see SPEC.md, "What a commit cannot hold"
 */
export async function makeAsCloned(run: Run, { files }: Landed): Promise<void> {
  const { repository } = run.ports;
  if (repository === undefined) return;
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

/** Names the empty folders that came in the run, for a clone has none. */
export async function nameEmptyFolders(run: Run): Promise<void> {
  const began = beginOfTurns(run.state);
  if (began === undefined) return;
  const folders = (await run.ports.repository?.emptyFolders(began)) ?? [];
  if (folders.length === 0) return;
  const list = listPaths(folders).join(", ");
  await run.warn(`a clone will not have these folders, as git holds no empty ones: ${list}`);
}
