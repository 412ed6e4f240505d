import { asCheckedOut, type NotCheckedOut } from "./checked-out.ts";
import { algorithmOf } from "./config.ts";
import type { Content } from "./content.ts";
import { emptyFolders } from "./empty-folders.ts";
import type { SignalOptions } from "./head.ts";
import { hiddenChanges } from "./hidden.ts";
import { type Landed, type LandedFile, landedSince } from "./landed.ts";
import { type AsideOptions, commitsLeftAside, type Stash, stashedSince } from "./left-aside.ts";
import { type NewlyIgnored, newlyIgnored, type WorkBetween } from "./newly-ignored.ts";
import { changedByOutsideRules } from "./outside-rules.ts";
import type { Repository } from "./repository.ts";
import { submodulePaths } from "./submodules.ts";
import { type ChangeTimes, changeTimes, takenOut } from "./taken-out.ts";
import type { SeenWork } from "./work.ts";

/**
 * What is in a work tree, or beside it, and in no commit, so that whoever clones the repository does not get it. Each
 * method that asks git throws a `GitError`, and the signal's reason when aborted.
 */
export interface CommitGaps {
  /** The tree of a commit, and what was committed on the way to it from another one: files, and links that only look so. */
  landed(from: string, to: string): Promise<Landed>;
  /** Makes committed files what a checkout gives of them. @see SPEC.md, "As a checkout gives it" */
  asCheckedOut(
    files: readonly LandedFile[],
    seen: Pick<SeenWork, "config">,
  ): Promise<NotCheckedOut>;
  /** What changed files hold that git was told not to look at. */
  hidden(): Promise<readonly Content[]>;
  /**
   * What rules that no commit holds keep out of commits, where they have changed since a moment.
   *
   * @param seen - @default git's settings are read
   */
  changedByOutsideRules(since: Date, seen?: Pick<SeenWork, "config">): Promise<readonly string[]>;
  /** Folders without a file that came after a moment. */
  emptyFolders(since: Date): Promise<readonly string[]>;
  /** From the root; whether they are checked out or not. */
  submodulePaths(): ReadonlySet<string>;
  /**
   * Work that ignore rules keep out of commits and that has come since a moment.
   *
   * @param work - The commits or trees between which the work lies: what its lines name is work, too. Asked where it matters.
   */
  newlyIgnored(since: Date, work?: () => Promise<WorkBetween>): Promise<NewlyIgnored>;
  /** Commits that certain actions have made since a moment, and whose changes HEAD's past does not have. */
  commitsLeftAside(options: AsideOptions): Promise<readonly string[]>;
  /** What was stashed since a moment, newest first. */
  stashedSince(since: Date): Promise<readonly Stash[]>;
  /** When files were changed last. */
  changeTimes(paths: readonly string[]): ChangeTimes;
  /** Of these files those that a git hook has made what they were before, in what led from one look to the other. */
  takenOut(
    before: ChangeTimes,
    seen: Pick<SeenWork, "head">,
    after: Pick<SeenWork, "head" | "dirty">,
  ): Promise<readonly string[]>;
}

/** @param options - Of all that is asked. */
export function openCommitGaps(repository: Repository, options: SignalOptions = {}): CommitGaps {
  const { root } = repository;
  return {
    landed: (from, to) => landedSince(root, from, to, options),
    asCheckedOut: (files, { config }) =>
      asCheckedOut({ repository, algorithm: algorithmOf(config), config, files, ...options }),
    hidden: () => hiddenChanges(root, options),
    changedByOutsideRules: (since, seen) =>
      changedByOutsideRules(repository, since, { config: seen?.config, ...options }),
    emptyFolders: (since) => emptyFolders(root, since, options),
    submodulePaths: () => submodulePaths(root),
    newlyIgnored: (since, work) => newlyIgnored(repository, since, { work, ...options }),
    commitsLeftAside: (wanted) => commitsLeftAside(repository, { ...options, ...wanted }),
    stashedSince: (since) => stashedSince(repository, since, options),
    changeTimes: (paths) => changeTimes(root, paths),
    takenOut: (before, { head: from }, { head: to, dirty }) =>
      takenOut(root, before, { from, to, dirty }),
  };
}
