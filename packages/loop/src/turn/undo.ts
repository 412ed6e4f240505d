import type { Ending } from "../ending.ts";
import { touchedProtected } from "../commit/protected.ts";
import type { LoopRepository } from "../repository/repository.ts";
import type { Run } from "../run.ts";
import { stagedEvents } from "./taken.ts";
import { listPaths } from "../commit/untouchable.ts";
import { gitEnding, misplaced, seenOf, uncommitted } from "../repository/work-tree.ts";

/**
 * Undoes what a reviewer has changed: it only reads. The files are kept in a snapshot first, and made
 * what they are in HEAD where nobody has changed them since. An interrupt does not keep it from that.
 *
 * @returns An ending: it could not be undone, or HEAD is not where it was.
 * @see SPEC.md, "What a reviewer changes"
 */
export async function undoReviewer(run: Run): Promise<Ending | undefined> {
  const { repository } = run.ports;
  if (repository === undefined || !run.runKind.isLoop) return undefined;
  const { runId, cycle, turn } = run.state;
  try {
    await showHidden(run, repository);
    const seen = await seenOf(run, repository);
    const away = await misplaced(run, repository, seen);
    if (away !== undefined) return away;
    if (seen.head !== run.head) return committedBy(run, seen.head);
    const paths = uncommitted(run, seen);
    const touched = touchedProtected(run, repository, seen, "the reviewer");
    if (paths.length === 0) return touched;
    const contents = repository.contents(paths, seen);
    const turnId = turn?.id ?? "";
    const message = `what the reviewer changed in turn ${turnId}`;
    const snapshot = await repository.snapshot({ runId, message, signal: undefined });
    if (snapshot === undefined) return touched;
    for (const event of stagedEvents(cycle, snapshot)) await run.emit(event);
    const { n, ref, sha } = snapshot;
    await run.emit({ type: "undone", cycle, turnId, paths, n, ref, sha });
    const stay = await repository.putBack(contents, seen);
    run.seen = await repository.look(seen);
    if (stay.length > 0) {
      const list = listPaths(stay).join(", ");
      await run.warn(`changed again since the reviewer's turn, and left as they are: ${list}`);
    }
    return touched;
  } catch (error) {
    return gitEnding("what the reviewer changed could not be undone", error);
  }
}

/** What is hidden from git would be nobody's change. */
async function showHidden(run: Run, { controls }: LoopRepository): Promise<void> {
  const paths = await controls.restoreHidden(run.hiddenGiven);
  if (paths.length === 0) return;
  const list = listPaths(paths).join(", ");
  await run.warn(`the reviewer changed whether git looks at these files, which is undone: ${list}`);
}

function committedBy({ head }: Run, now: string): Ending {
  const range = `${head.slice(0, 12)}..${now.slice(0, 12)}`;
  const message = `the reviewer made commits, which nobody has reviewed: git log ${range}`;
  return { outcome: "work-tree", message };
}
