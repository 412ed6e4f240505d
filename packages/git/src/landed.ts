import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { looseCommit } from "./loose.ts";
import { gitFoldersAt } from "./repository.ts";
import { checkSha, isSha } from "./revision.ts";
import { gitOutput } from "./run.ts";

/** What a commit holds, and what came into it that only looks committed. */
export interface Landed {
  /** Id of its tree. */
  readonly tree: string;
  /** Paths that became links to another repository's commit: the files there are not in the tree. */
  readonly links: readonly string[];
  /** Files that were committed on the way, as the commit has them. */
  readonly files: readonly LandedFile[];
}

export interface LandedFile {
  /** From the root, `/` between parts. */
  readonly path: string;
  readonly mode: "100644" | "100755";
  /** Of its blob. */
  readonly id: string;
}

const LOG = [
  ...["log", "-z", "--raw", "-r", "--root", "--diff-merges=first-parent", "--no-renames"],
  ...["--no-abbrev", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-decorate"],
  ...["--no-notes", "--no-show-signature", "--no-mailmap"],
] as const;

const LINK = "160000";

/**
 * The tree of a commit, and the repositories that were committed as links on the way to it. Starts one
 * git process, and none for a commit alone that lies open.
 *
 * @param from - A full commit id in its past; `""`: before the first.
 * @param to - A full commit id.
 * @throws {GitError} `ERR_BAD_REVISION` unless they are; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`, also where one of them is missing; the signal's reason when aborted.
 */
export async function landedSince(
  workTree: string,
  from: string,
  to: string,
  options: SignalOptions = {},
): Promise<Landed> {
  options.signal?.throwIfAborted();
  const isMoved = from !== to;
  const folders = isMoved ? undefined : await gitFoldersAt(workTree);
  const commit = folders && looseCommit(folders, checkSha(to));
  if (commit !== undefined) return { tree: commit.tree, links: [], files: [] };
  const range = [checkSha(to), ...(from === "" || !isMoved ? [] : [`^${checkSha(from)}`])];
  const limit = isMoved ? [] : ["--max-count=1", "--no-patch"];
  const format = ["--format=tformat:%x01%T"];
  const args = [...LOG, ...limit, ...format, ...range, "--"];
  const output = await gitOutput("read", workTree, args, options);
  const fields = output.split("\0");
  const tree = fields[0]?.replace(TREE, "") ?? "";
  if (!isSha(tree)) throw new GitError("ERR_GIT_FAILED", `git log did not name the tree of ${to}`);
  const entries = lastEntries(fields);
  const links = entries.filter(({ mode }) => mode === LINK).map(({ path }) => path);
  return { tree, links, files: entries.filter(isFile) };
}

const TREE = "\u0001";
const RAW = /^\n?:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) /u;

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

function isFile(entry: Entry): entry is LandedFile {
  return entry.mode === "100644" || entry.mode === "100755";
}

/** Newest first: what came last of a path is what it is. */
function lastEntries(fields: readonly string[]): readonly Entry[] {
  const last = new Map<string, Entry>();
  for (let at = 0; at < fields.length; at += 1) {
    const [, mode, id = ""] = RAW.exec(fields[at] ?? "") ?? [];
    if (mode === undefined) continue;
    at += 1;
    const path = fields[at] ?? "";
    if (!last.has(path)) last.set(path, { path, mode, id });
  }
  return [...last.values()];
}
