import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { algorithmOfId } from "./blob.ts";
import { type Content, readContents } from "./content.ts";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { parseFlags } from "./parse-index.ts";
import { gitFoldersAt } from "./repository.ts";
import { gitOutput, type RunOptions } from "./run.ts";

/** A file that git was told not to look at, as the index has it. */
interface Hidden {
  /** Bytes, one a character. */
  readonly path: string;
  readonly mode: string;
  readonly id: string;
  /** `skip-worktree`: as in the index where it is not there. */
  readonly isSkipped: boolean;
}

// A small letter: `assume-unchanged`; `S`: `skip-worktree`, as in a sparse checkout.
const HIDDEN = /^([a-z]|S) (\d{6}) ([0-9a-f]+) [0-3]\t([^]*)$/;

const ANY_HIDDEN = /(?:^|\0)(?:[a-z]|S) /u;

async function hiddenEntries(
  workTree: string,
  { signal }: SignalOptions,
): Promise<readonly Hidden[]> {
  signal?.throwIfAborted();
  if (await looksAtAll(workTree)) return [];
  const args = ["ls-files", "-v", "--stage", "-z", "--full-name", "--", ":/"];
  const output = await gitOutput("read", workTree, args, { signal, encoding: "latin1" });
  if (!ANY_HIDDEN.test(output)) return [];
  return output.split("\0").flatMap((entry): Hidden[] => {
    const [, tag = "", mode = "", id = "", path] = HIDDEN.exec(entry) ?? [];
    const isSkipped = tag.toUpperCase() === "S";
    return path === undefined ? [] : [{ path, mode, id, isSkipped }];
  });
}

/** Whether the index itself says that git looks at every file; `false` where it is not plain to read, too. */
async function looksAtAll(workTree: string): Promise<boolean> {
  const folders = await gitFoldersAt(workTree);
  if (folders === undefined) return false;
  try {
    const file = join(folders.gitDir, "index");
    // A pipe that stands in its place is not waited for.
    return statSync(file).isFile() && parseFlags(readFileSync(file))?.length === 0;
  } catch (error) {
    return isGone(error);
  }
}

/** Whether an index has git take files as unchanged without a look. Starts one git process. */
export async function assumesUnchanged(root: string, options: RunOptions): Promise<boolean> {
  const tagged = { ...options, encoding: "latin1" } as const;
  const output = await gitOutput("read", root, ["ls-files", "-v", "-z"], tagged);
  return /(?:^|\0)[a-z] /u.test(output);
}

/**
 * Paths that git was told not to look at: `assume-unchanged`, `skip-worktree`, sparse. Bytes, one a
 * character, from the root. Starts one git process, and none where the index says that there are none.
 */
export async function hiddenPaths(
  workTree: string,
  options: SignalOptions = {},
): Promise<ReadonlySet<string>> {
  return new Set((await hiddenEntries(workTree, options)).map(({ path }) => path));
}

/**
 * What files hold that git was told not to look at, where that is not what the index has, byte by byte:
 * `status` does not list them, and no commit takes them in. Submodules are left out. Starts one git process, and none where
 * the index says that there are none.
 *
 * @param root - The top folder of the work tree.
 * @throws {GitError} `ERR_SNAPSHOT_FAILED` where one cannot be read; `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function hiddenChanges(
  root: string,
  options: SignalOptions = {},
): Promise<readonly Content[]> {
  const entries = await hiddenEntries(root, options);
  const files = entries.filter(({ mode }) => mode !== LINKED_REPOSITORY);
  const paths = files.map(({ path }) => Buffer.from(path, "latin1").toString("utf8"));
  const contents = readContents(root, paths, algorithmOfId(files[0]?.id ?? ""));
  return contents.filter(({ mode, id }, at) => {
    const isAbsent = mode === "000000" && files[at]?.isSkipped === true;
    return !isAbsent && (mode !== files[at]?.mode || id !== files[at].id);
  });
}

const LINKED_REPOSITORY = "160000";
