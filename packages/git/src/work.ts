import { type Config, readConfig } from "./config.ts";
import type { SignalOptions } from "./head.ts";
import { git, gitFailed } from "./run.ts";
import { setCachesApart } from "./caches.ts";
import { parseStatusWithin, STATUS_WITHIN, statusHead } from "./status.ts";
import type { DirtyPath } from "./dirty-path.ts";
import { filledSubmodules } from "./submodules.ts";

/** A work tree as it is about to be committed. */
export interface SeenWork {
  /** The commit that HEAD is at; `""` while there is none. */
  readonly head: string;
  /** `undefined` where HEAD is detached. */
  readonly branch: string | undefined;
  /** What is not committed, caches apart. */
  readonly dirty: readonly DirtyPath[];
  /** Folders of tools' caches, which are never committed; `A.` is staged, else `??`. */
  readonly caches: readonly DirtyPath[];
  /**
   * Submodules with changes in their files, untracked ones included, or with files though they are not
   * checked out: no commit here holds them.
   */
  readonly submodules: readonly string[];
  /** Folders that git could not look into, and so says nothing of. */
  readonly unread: readonly string[];
  /** Git's settings that matter to a commit. */
  readonly config: ReadonlyMap<string, string>;
}

export interface LookOptions extends SignalOptions {
  /** Git's settings as they were seen just before, by nobody but git since. @default asked of git */
  readonly config?: ReadonlyMap<string, string> | undefined;
}

/**
 * Looks at work that is to be committed: like `commitAll`, and unlike the reads of this package, with
 * the user's filters, and into submodules, unless their configuration says otherwise (`ignore`). Starts one
 * git process, two where the settings have changed and no `config` is given; in a submodule one more. Git starts one for each submodule.
 *
 * @param workTree - Any folder of the work tree.
 * @throws {GitError} `ERR_BROKEN_HEAD`, `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function readCommitState(
  workTree: string,
  options: LookOptions = {},
): Promise<SeenWork> {
  const { signal } = options;
  const config: Config = options.config ?? (await readConfig(workTree, { signal }));
  const args = [...STATUS_WITHIN, "--branch"];
  const result = await git("write", workTree, args, { signal });
  if (result.exitCode !== 0) throw gitFailed(args, result);
  const { head, branch } = await statusHead(workTree, result.stdout, { signal });
  const { dirty: all, submodules } = parseStatusWithin(result.stdout);
  const { dirty, caches } = await setCachesApart("write", workTree, all, { signal });
  return {
    head,
    branch,
    dirty,
    caches,
    submodules: [...submodules, ...(await filledSubmodules(workTree, { signal }))],
    unread: unreadFolders(result.stderr),
    config,
  };
}

// Git cuts a message short: what is too long for it has no end.
const UNREAD = /^warning: could not open directory '(.*?)(?:': .*)?$/gmu;

/** What `status` passes over with a warning, and an exit code of 0. */
function unreadFolders(stderr: string): readonly string[] {
  return [...stderr.matchAll(UNREAD)].map(([, path = ""]) => path.replace(/\/$/u, ""));
}
