import { OWN_FOLDER } from "@quasar/git/internal";
import { nameEmptyFolders, newEmptyFolders } from "../commit/as-cloned.ts";
import type { Ending } from "../ending.ts";
import { hiddenWork, outsideRules, touchedProtected } from "../commit/protected.ts";
import type { LoopRepository } from "./repository.ts";
import type { Run } from "../run.ts";
import { listPaths } from "../commit/untouchable.ts";
import {
  gitEnding,
  misplaced,
  nestedRepositories,
  notHeld,
  treeOf,
  uncommitted,
} from "./work-tree.ts";

/**
 * Whether an approval is true of the repository: HEAD's tree is what the last reviewer was given and
 * what the last checks left, on the branch where the run began, and nothing else is there.
 *
 * @returns `undefined`: it is; else what differs.
 * @see SPEC.md, "Approved"
 */
export async function whatDiffers(run: Run): Promise<Ending | undefined> {
  const { repository } = run.ports;
  if (repository === undefined || !run.runKind.isLoop) return undefined;
  try {
    // Once more: until now an approval could wait for listeners, and a person could work.
    const [seen, hidden, folders] = await Promise.all([
      repository.look(),
      hiddenWork(run, repository),
      newEmptyFolders(run, repository),
    ]);
    run.seen = seen;
    const away = await misplaced(run, repository, seen);
    if (away !== undefined) return differs(away.message);
    run.head = seen.head;
    const unheld = notHeld(run, [...seen.unread, ...seen.submodules]);
    const nested = nestedRepositories(run, seen);
    const ignored = await outsideRules(run, repository, seen);
    // A file or a link in the place of the run's own folder: what is in the folder is left to the person.
    const own = seen.dirty.map(({ path }) => path).filter((path) => path === OWN_FOLDER);
    const paths = [...uncommitted(run, seen), ...own, ...nested, ...unheld, ...hidden, ...ignored];
    if (paths.length > 0) return differs(`not committed: ${listPaths(paths).join(", ")}`);
    const touched = touchedProtected(run, repository, seen, "someone");
    if (touched !== undefined) return differs(touched.message);
    const stale = await staleTree(run, repository);
    if (stale === undefined) await nameEmptyFolders(run, folders);
    return stale;
  } catch (error) {
    return gitEnding(NOT_COMPARED, error);
  }
}

/**
 * Whether an approval that is stored is still true of HEAD, which the run's agents may have moved since.
 * What is uncommitted by now is not looked at: it came after the run.
 */
export async function whatMoved(run: Run): Promise<Ending | undefined> {
  const { repository } = run.ports;
  if (repository === undefined || !run.runKind.isLoop) return undefined;
  try {
    return await staleTree(run, repository);
  } catch (error) {
    return gitEnding(NOT_COMPARED, error);
  }
}

const NOT_COMPARED = "the work tree could not be compared with what was reviewed";

/** Where HEAD's tree is not the one that was reviewed and checked. */
async function staleTree(run: Run, repository: LoopRepository): Promise<Ending | undefined> {
  const tree = await treeOf(run, repository);
  const { reviewedTree, checkedTree } = run.state;
  const stale = [
    reviewedTree === "" || reviewedTree === tree ? "" : "the reviewer read another tree",
    checkedTree === "" || checkedTree === tree ? "" : "the checks ran on another tree",
  ].filter((words) => words !== "");
  if (stale.length === 0) return undefined;
  return differs(`HEAD is ${short(run.head)}, and ${stale.join(", and ")}`);
}

function differs(what: string): Ending {
  const message = `The reviewer approved, but HEAD is not what was reviewed: ${what}.`;
  return { outcome: "approved-differs", message };
}

/** Whether the run has changed what is committed. */
export async function hasChanged(run: Run): Promise<boolean> {
  const { repository } = run.ports;
  const { baseCommitSha: base } = run.state;
  const isMoved = run.head !== base;
  if (repository === undefined || !isMoved || run.head === "" || base === "") return isMoved;
  try {
    const [before, after] = [
      (await repository.landed(base, base)).tree,
      await treeOf(run, repository),
    ];
    return before !== after;
  } catch {
    return isMoved; // the end of a run is reported even where git cannot be asked
  }
}

function short(sha: string): string {
  return sha.slice(0, 12);
}
