import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { checkRevision, checkSha, isMissing } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";
import { oneLine, tail } from "./text.ts";
import { parseTrailers, TRAILER, type Trailers } from "./trailers.ts";

/** A commit as it stands in a log. */
export interface Commit {
  readonly sha: string;
  /** The first is the one that was committed on, the others were merged in. */
  readonly parents: readonly string[];
  /** The first paragraph of the message, as one line. */
  readonly subject: string;
  readonly trailers: Trailers;
}

export interface RangeOptions extends SignalOptions {
  /** Its commits and all in their past are left out; a full commit id, `HEAD` or `refs/…`. */
  readonly from?: string | undefined;
  /** The newest commit of the range, in the same forms. @default "HEAD" */
  readonly to?: string | undefined;
}

// `%B` cannot hold a NUL, so fields with one after each cannot be forged. `%m` is the side.
const FORMAT = "--format=%m%x00%H%x00%P%x00%B%x00";

/**
 * The commits of a range, oldest first: no commit before one of its parents. Commits that came in
 * by a merge are among them; the line of first parents is followed through `parents[0]`.
 *
 * @throws {GitError} `ERR_BAD_REVISION` also for a commit that the repository does not have;
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function logRange(
  workTree: string,
  { from, to = "HEAD", signal }: RangeOptions = {},
): Promise<readonly Commit[]> {
  const range = [checkRevision(to), ...(from === undefined ? [] : [`^${checkRevision(from)}`])];
  const args = ["rev-list", "--no-commit-header", "--topo-order", "--reverse", FORMAT, ...range];
  const result = await git("read", workTree, [...args, "--"], { signal });
  if (result.exitCode === 0) return parseLog(result.stdout).map(({ commit }) => commit);
  if (!isMissing(result)) throw gitFailed(args, result);
  const message = `cannot list the commits ${range.join(" ")}: ${tail(result.stderr)}`;
  throw new GitError("ERR_BAD_REVISION", message);
}

/**
 * One commit.
 *
 * @param revision - `HEAD`, a full commit id or `refs/…`.
 * @throws {GitError} as `logRange` does; `ERR_BAD_REVISION` also while HEAD has no commit.
 */
export async function readCommit(
  workTree: string,
  revision: string,
  { signal }: SignalOptions = {},
): Promise<Commit> {
  const one = ["rev-list", "--no-commit-header", "--max-count=1", FORMAT, checkRevision(revision)];
  const result = await git("read", workTree, [...one, "--"], { signal });
  const [listed] = parseLog(result.stdout);
  if (result.exitCode === 0 && listed !== undefined) return listed.commit;
  if (result.exitCode !== 0 && !isMissing(result)) throw gitFailed(one, result);
  throw new GitError("ERR_BAD_REVISION", `${revision} is no commit here: ${tail(result.stderr)}`);
}

/** What two commits have in their pasts that the other has not; each list oldest first. */
export interface Sides {
  readonly left: readonly Commit[];
  readonly right: readonly Commit[];
}

/**
 * The commits by which one commit, the right one, differs from another; `""` is before any commit.
 * `undefined` if the repository does not have one of the two.
 */
export async function sidesOf(
  workTree: string,
  left: string,
  right: string,
  { signal }: SignalOptions,
): Promise<Sides | undefined> {
  const flags = ["--no-commit-header", "--left-right", "--topo-order", "--reverse"];
  const range = left === "" ? checkSha(right) : `${checkSha(left)}...${checkSha(right)}`;
  const args = ["rev-list", ...flags, FORMAT, range, "--"];
  const result = await git("read", workTree, args, { signal });
  if (result.exitCode !== 0) {
    if (isMissing(result) || NO_RANGE.test(result.stderr)) return undefined;
    throw gitFailed(args, result);
  }
  const all = parseLog(result.stdout);
  const isLeft = ({ side }: Listed): boolean => side === "<";
  return {
    left: all.filter(isLeft).map(({ commit }) => commit),
    right: all.filter((each) => !isLeft(each)).map(({ commit }) => commit),
  };
}

const NO_RANGE = /^fatal: (?:Invalid symmetric difference expression|bad revision )/m;

interface Listed {
  readonly side: string;
  readonly commit: Commit;
}

function parseLog(output: string): readonly Listed[] {
  const fields = output.split("\0");
  const listed: Listed[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [side = "", sha = "", parents = "", message = ""] = fields.slice(at, at + 4);
    const commit = {
      sha,
      parents: parents.split(" ").filter((parent) => parent !== ""),
      subject: oneLine(message.trim().split(/\n\s*\n/)[0] ?? ""),
      trailers: parseTrailers(message),
    };
    listed.push({ side: side.trim(), commit });
  }
  return listed;
}

/** What a commit of a run has in its trailers. What is not given matches any. */
export interface CommitMark {
  readonly taskId: string;
  readonly cycle?: number | undefined;
  /** `<run-id>.<n>` */
  readonly turn?: string | undefined;
}

/** Whether a commit's trailers are those of a task's, cycle's and turn's commit. */
export function carriesMark({ trailers }: Pick<Commit, "trailers">, mark: CommitMark): boolean {
  const wanted: readonly (readonly [name: string, value: string | undefined])[] = [
    [TRAILER.task, mark.taskId],
    [TRAILER.cycle, mark.cycle?.toString()],
    [TRAILER.turn, mark.turn],
  ];
  return wanted.every(
    ([name, value]) => value === undefined || trailers.get(name)?.includes(oneLine(value)) === true,
  );
}

/** How many moves of HEAD are looked back at. */
const REFLOG_LENGTH = 1000;

/**
 * What brought HEAD to a commit the first time, by the commit's id: the action that git was told by
 * `GIT_REFLOG_ACTION`, or its own word (`commit`, `reset`). Of the last 1000 moves of this work
 * tree's HEAD; empty where no reflog is kept.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`, also while HEAD is
 *   on a branch without a commit; the signal's reason when aborted.
 */
export async function reflogActions(
  workTree: string,
  options: SignalOptions = {},
): Promise<ReadonlyMap<string, string>> {
  const what = ["--walk-reflogs", `--max-count=${REFLOG_LENGTH}`, "--format=%H%x00%gs%x00"];
  const args = ["log", "--no-patch", "--no-decorate", "--no-mailmap", ...what, "HEAD", "--"];
  const fields = (await gitOutput("read", workTree, args, options)).split("\0");
  const actions = new Map<string, string>();
  // Newest first, so the first time that HEAD came to a commit is what stays.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [sha = "", message = ""] = fields.slice(at, at + 2);
    actions.set(sha.trim(), oneLine(message.split(": ", 1)[0] ?? ""));
  }
  return actions;
}

/** A path in which two commits differ, from the root of the work tree. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "new" | "modified" | "deleted";
}

/**
 * What became of each path between two commits; a renamed file is two paths, one deleted and one new.
 *
 * @param from - A full commit id; `""`: all that is in `to`.
 * @param to - A full commit id.
 * @throws {GitError} `ERR_BAD_REVISION` unless they are; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function changedFiles(
  workTree: string,
  from: string,
  to: string,
  options: SignalOptions = {},
): Promise<readonly ChangedFile[]> {
  const read = async (args: readonly string[]): Promise<readonly string[]> =>
    (await gitOutput("read", workTree, args, options)).split("\0").slice(0, -1);
  if (from === "") {
    const paths = await read(["ls-tree", "-r", "-z", "--name-only", "--full-tree", checkSha(to)]);
    return paths.map((path) => ({ path, change: "new" }));
  }
  const how = ["-r", "-z", "--name-status", "--no-renames", "--no-relative"];
  const fields = await read(["diff-tree", ...how, checkSha(from), checkSha(to), "--"]);
  return fields.flatMap((path, at) =>
    at % 2 === 0 ? [] : [{ path, change: CHANGES.get(fields[at - 1] ?? "") ?? "modified" }],
  );
}

/** By git's letter; every other changes what is there. */
const CHANGES: ReadonlyMap<string, ChangedFile["change"]> = new Map([
  ["A", "new"],
  ["D", "deleted"],
]);

/**
 * The paths in which two commits differ, from the root of the work tree; a renamed file is two.
 *
 * @throws {GitError} as `changedFiles`.
 */
export async function changedPaths(
  workTree: string,
  from: string,
  to: string,
  options: SignalOptions = {},
): Promise<readonly string[]> {
  return (await changedFiles(workTree, from, to, options)).map(({ path }) => path);
}
