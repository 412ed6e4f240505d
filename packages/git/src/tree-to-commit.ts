import { randomBytes } from "node:crypto";
import { copyFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { stage } from "./stage.ts";
import type { SignalOptions } from "./head.ts";
import { assumesUnchanged } from "./hidden.ts";
import { openRepository } from "./repository.ts";
import { git, gitFailed, gitOutput, type RunOptions } from "./run.ts";
import { isOwnPath, OWN_PATHS } from "./snapshots.ts";
import { setCachesApart } from "./caches.ts";
import { isAllStaged, parseStatusWithin, STATUS_WITHIN } from "./status.ts";

/**
 * Writes the tree that a commit of everything in the work tree would have, as an object, and returns
 * its id: tracked and untracked files through the user's filters, also what `assume-unchanged` hides;
 * ignored ones not, nor caches and `.quasar/`. Index, refs and files stay as they are; git hooks do not run.
 * Starts four git processes, one more where something is not staged, and looks at each file once.
 *
 * @param workTree - Any folder of the work tree; the tree is of all of it.
 * @throws {GitError} `ERR_GIT_FAILED` where git cannot stage something; `ERR_FOREIGN_WORK_TREE`,
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 * @see SPEC.md, "The tree to commit"
 */
export async function treeToCommit(workTree: string, options: SignalOptions = {}): Promise<string> {
  const { signal } = options;
  const { root, gitDir } = await openRepository(workTree, options);
  const index = join(gitDir, `index.quasar-${randomBytes(8).toString("hex")}`);
  const run: RunOptions = { signal, env: { GIT_INDEX_FILE: index } };
  try {
    await copyIndex(join(gitDir, "index"), index);
    if (await assumesUnchanged(root, run)) await lookAtAll(root, run);
    const { dirty } = parseStatusWithin(await gitOutput("write", root, STATUS_OF_ALL, run));
    const { dirty: work, caches } = await setCachesApart("write", root, dirty, run);
    const staged = caches.filter(({ status }) => status !== "??").map(({ path }) => path);
    if (staged.length > 0) {
      const paths = staged.map((path) => `:(top,literal)${path}`);
      await gitOutput("write", root, ["rm", "-r", "--cached", "--quiet", "--", ...paths], run);
    }
    const unstaged = work.filter((entry) => !isAllStaged(entry) && !isOwnPath(entry.path));
    if (unstaged.length > 0) {
      const changed = unstaged.map(({ path }) => path);
      const excluded = [...OWN_PATHS, ...caches.map(({ path }) => path)];
      const staged = await stage(root, { changed, excluded, run });
      if (staged.exitCode !== 0) throw gitFailed(["add", "-A"], staged);
    }
    return (await gitOutput("write", root, ["write-tree"], run)).trim();
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}

/** Whatever the repository's settings leave out of a status, a commit of everything holds. */
const STATUS_OF_ALL = [...STATUS_WITHIN, "--ignore-submodules=none"] as const;

async function lookAtAll(root: string, run: RunOptions): Promise<void> {
  const refresh = ["update-index", "-q", "--really-refresh"];
  const refreshed = await git("write", root, refresh, run);
  // Exits 1 where files differ from the index, which is no failure here.
  if (refreshed.exitCode > 1) throw gitFailed(refresh, refreshed);
}

/** With a time before the original's, so that git trusts no entry more than it did there. */
async function copyIndex(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
    const { mtimeMs } = await stat(from);
    const seconds = Math.floor(mtimeMs / 1000);
    await utimes(to, seconds, seconds);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
