import { algorithmOf } from "./config.ts";
import { type Content, readContents } from "./content.ts";
import type { SignalOptions } from "./head.ts";
import { type ChangedContent, lostWork } from "./lost-work.ts";
import {
  type MergedTree,
  type ProtectedChange,
  storeContents,
  treeOfChanges,
} from "./merge-protected.ts";
import { putBack } from "./put-back.ts";
import type { Repository } from "./repository.ts";
import type { SeenWork } from "./work.ts";

/**
 * Somebody's uncommitted files, told from what is changed in them later. Each method that asks git throws a
 * `GitError`, and the signal's reason when aborted.
 */
export interface ProtectedFiles {
  /** What paths hold, byte by byte. */
  contents(paths: readonly string[], seen: Pick<SeenWork, "config">): readonly Content[];
  /** Puts the bytes of files into the repository, so that a later change can be told from them. */
  storeContents(contents: readonly Content[]): Promise<void>;
  /** Paths of stored contents of which not all is there any more that a commit (`""`: there is none) has not. */
  lostWork(head: string, changes: readonly ChangedContent[]): Promise<readonly string[]>;
  /** The tree of a commit of all but the excluded paths, with the changes of protected ones alone. */
  treeOfChanges(
    exclude: readonly string[],
    changes: readonly ProtectedChange[],
  ): Promise<MergedTree>;
  /** Makes paths what they are in HEAD; those that hold something else than was seen stay, and are returned. */
  putBack(contents: readonly Content[], seen: Pick<SeenWork, "config">): Promise<readonly string[]>;
}

/** @param options - Of all that is asked. */
export function openProtectedFiles(
  repository: Repository,
  options: SignalOptions = {},
): ProtectedFiles {
  const { root } = repository;
  return {
    contents: (paths, { config }) => readContents(root, paths, algorithmOf(config)),
    storeContents: (contents) => storeContents(repository, contents, options),
    lostWork: (head, changes) => lostWork(root, head, changes, options),
    treeOfChanges: (exclude, changes) =>
      treeOfChanges(repository, { exclude, changes, ...options }),
    putBack: (contents, { config }) =>
      putBack(root, { algorithm: algorithmOf(config), seen: contents, ...options }),
  };
}
