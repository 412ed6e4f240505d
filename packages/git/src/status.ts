import type { DirtyPath } from "./dirty-path.ts";
import { setCachesApart } from "./caches.ts";
import { type Config, disarmFilters, readConfig } from "./config.ts";
import { GitError } from "./errors.ts";
import { currentHead, type SignalOptions } from "./head.ts";
import { filesForPointers } from "./lfs.ts";
import { isSha } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

// Renames are not searched for: that reads contents, and both paths are wanted.
/** Looks into the work trees of submodules too, under the configuration that each has. */
export const STATUS_WITHIN = [
  ...["status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"],
] as const;

/** Does not: a read starts nothing that a repository names. */
export const STATUS = [...STATUS_WITHIN, "--ignore-submodules=dirty"] as const;

/**
 * What is not committed in the work tree, untracked files included, ignored ones and caches not.
 *
 * @param workTree - Any folder of the work tree; the answer is about all of it.
 * @throws {GitError} `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 * @see SPEC.md, "Reads", for what filters and submodules do to the answer
 */
export async function dirtyPaths(
  workTree: string,
  options: SignalOptions = {},
): Promise<readonly DirtyPath[]> {
  const config = await readConfig(workTree, options);
  const asked = { ...options, config: disarmFilters(config) };
  const output = await gitOutput("read", workTree, STATUS, asked);
  return changedFiles(workTree, output, config, options);
}

/**
 * Where HEAD is, and what `dirtyPaths` says, seen at once.
 *
 * @throws {GitError} as `currentHead` and `dirtyPaths` do
 */
export async function headAndChanges(
  workTree: string,
  options: SignalOptions = {},
): Promise<StatusHead & { readonly dirty: readonly DirtyPath[] }> {
  const config = await readConfig(workTree, options);
  const args = [...STATUS, "--branch"];
  const result = await git("read", workTree, args, { ...options, config: disarmFilters(config) });
  if (result.exitCode !== 0) {
    await currentHead(workTree, options); // whose error it may be
    throw gitFailed(args, result);
  }
  const { head, branch } = await statusHead(workTree, result.stdout, options);
  return { head, branch, dirty: await changedFiles(workTree, result.stdout, config, options) };
}

/** What `status` has listed without filters, but for files that Git LFS has put in place of pointers. */
export async function changedFiles(
  workTree: string,
  output: string,
  config: Config,
  options: SignalOptions,
): Promise<readonly DirtyPath[]> {
  const unchanged = await filesForPointers(workTree, output, config, options);
  const { dirty } = await setCachesApart("read", workTree, parseStatus(output), options);
  return dirty.filter(({ path }) => !unchanged.has(path));
}

/** Where HEAD is, as `status --branch` tells it. */
export interface StatusHead {
  /** `""` while there is no commit. */
  readonly head: string;
  /** `undefined` where HEAD is detached. */
  readonly branch: string | undefined;
}

/** What git writes for a branch that it could not read, and leaves with 0. */
const UNREAD_BRANCH = "(unknown)";

/**
 * Where HEAD is, by what `status --porcelain=v2 --branch -z` has said. Git takes a branch that it cannot read for one
 * without a commit, so that is asked once more.
 *
 * @throws {GitError} `ERR_GIT_FAILED` where HEAD could not be read: then all that `status` lists is wrong;
 *   else as `currentHead` does.
 */
export async function statusHead(
  workTree: string,
  output: string,
  options: SignalOptions,
): Promise<StatusHead> {
  const said = parseStatusHead(output);
  if (said.head !== "" && said.branch !== UNREAD_BRANCH) return said;
  const { head, branch } = await currentHead(workTree, options);
  if (head === said.head && branch === said.branch) return said;
  throw new GitError("ERR_GIT_FAILED", "git status could not read what HEAD is on");
}

function parseStatusHead(output: string): StatusHead {
  const facts = new Map<string, string>();
  for (const entry of output.split("\0")) {
    const [, name, value] = /^# (branch\.\w+) (.*)$/s.exec(entry) ?? [];
    if (name !== undefined && value !== undefined) facts.set(name, value);
  }
  const [oid = "", branch = ""] = [facts.get("branch.oid"), facts.get("branch.head")];
  if (oid !== "(initial)" && !isSha(oid)) {
    throw new GitError("ERR_BROKEN_HEAD", "git status names no commit for HEAD: run git fsck");
  }
  return {
    head: isSha(oid) ? oid : "",
    branch: branch === "(detached)" ? undefined : branch,
  };
}

// Another commit is checked out, files are changed, files are untracked.
const CHANGED_WITHIN = /^1 \S\S S[.C](?:M[.U]|\.U) /u;
const CHANGED_WITHIN_ONLY = /^1 \.M S\.(?:M[.U]|\.U) /u;

/** What {@link STATUS_WITHIN} lists. */
export interface StatusWithin {
  /** Caches among them. */
  readonly dirty: readonly DirtyPath[];
  /** Submodules with changes in their files: only a commit of their own can hold them. */
  readonly submodules: readonly string[];
}

/** Parses what {@link STATUS_WITHIN} lists; of `dirty` are those changes only that a commit here can hold. */
export function parseStatusWithin(output: string): StatusWithin {
  const matching = (pattern: RegExp): readonly string[] =>
    entriesOf(output).filter((entry) => pattern.test(entry));
  const only = new Set(matching(CHANGED_WITHIN_ONLY));
  const dirty = entriesOf(output).filter((entry) => !only.has(entry));
  return {
    dirty: dirty.map(parseEntry),
    submodules: matching(CHANGED_WITHIN).map((entry) => parseEntry(entry).path),
  };
}

/** How many fields stand before the path, by the kind of the entry. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, u: 10 };

/** Parses `status --porcelain=v2 -z`, made without renames; caches among it. */
export function parseStatus(output: string): readonly DirtyPath[] {
  return entriesOf(output).map(parseEntry);
}

/** What the index holds of a path, and neither HEAD nor the work tree. */
export interface StagedOnly {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
}

/** Parses the same for contents that nothing but the index holds; a submodule's commit is none. */
export function parseStagedOnly(output: string): readonly StagedOnly[] {
  return entriesOf(output).flatMap((entry) => {
    const [kind, status = "", , , mode = "", , , id = ""] = entry.split(" ");
    const isStaged = kind === "1" && /^[^.D][^.]$/u.test(status) && mode !== "160000";
    return isStaged ? [{ path: parseEntry(entry).path, mode, id }] : [];
  });
}

function entriesOf(output: string): readonly string[] {
  const entries = output.split("\0").slice(0, -1);
  // What begins with `#` is about the branch or the stash. A path cannot: its kind comes first.
  return entries.filter((entry) => !entry.startsWith("# "));
}

function parseEntry(entry: string): DirtyPath {
  const kind = entry[0] ?? "";
  if (kind === "?") return { path: entry.slice(2), status: "??" };
  const fields = FIELDS[kind];
  if (fields === undefined) {
    throw new GitError("ERR_GIT_FAILED", `git status gave an unknown entry of kind "${kind}"`);
  }
  const parts = entry.split(" ");
  return { path: parts.slice(fields).join(" "), status: parts[1] ?? "" };
}

/** Whether the path is in conflict. */
export function isUnmerged({ status }: DirtyPath): boolean {
  return status.includes("U") || status === "AA" || status === "DD";
}

/** Whether the file in the work tree is what the index has. */
export function isAllStaged({ status }: DirtyPath): boolean {
  return status[1] === ".";
}
