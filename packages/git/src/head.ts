import { existsSync } from "node:fs";
import { join } from "node:path";
import { GitError } from "./errors.ts";
import { isSeenBehind } from "./loose.ts";
import { gitFoldersAt, isShallow, type OpenedRepository, rootOf } from "./repository.ts";
import { checkSha, isMissing, isSha } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

export interface SignalOptions {
  /** Ends git when aborted; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The commit that HEAD is at: 40 or, in a SHA-256 repository, 64 lowercase hex digits.
 *
 * @param workTree - Any folder of the work tree.
 * @throws {GitError} `ERR_NO_COMMITS`, `ERR_BROKEN_HEAD`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function currentGitSha(
  workTree: string,
  options: SignalOptions = {},
): Promise<string> {
  // `^{commit}` reads the object: without it an emptied or missing commit passes.
  const args = ["rev-parse", "--verify", "-q", "HEAD^{commit}"];
  const result = await git("read", workTree, args, options);
  const sha = result.stdout.trimEnd();
  if (result.exitCode === 0 && isSha(sha)) return sha;
  throw await whyNoHead(workTree, options);
}

async function whyNoHead(workTree: string, options: SignalOptions): Promise<GitError> {
  const args = ["symbolic-ref", "-q", "HEAD"];
  const head = await git("read", workTree, args, options);
  if (head.exitCode === 1 || head.stderr.startsWith("fatal: No such ref: HEAD")) {
    return new GitError("ERR_BROKEN_HEAD", "HEAD names no readable commit: run git fsck");
  }
  if (head.exitCode !== 0) return gitFailed(args, head);
  const ref = head.stdout.trimEnd();
  // Lists a branch whose commit is lost, warns of one that is no commit's id; else there is none.
  // The pattern also takes what is below it: `topic` may be unborn beside `topic/x`.
  const listing = ["for-each-ref", "--format=%(objectname) %(refname)", ref];
  const { stdout, stderr } = await git("read", workTree, listing, options);
  const named = stdout.split("\n").find((line) => line.endsWith(` ${ref}`));
  if (named === undefined && !stderr.split("\n").some((line) => line.endsWith(` ${ref}`))) {
    return new GitError("ERR_NO_COMMITS", `${ref} has no commit yet: make a first one`);
  }
  const at = named?.split(" ")[0] ?? "nothing";
  const message = `HEAD is ${ref}, which names ${at}, not a readable commit: run git fsck`;
  return new GitError("ERR_BROKEN_HEAD", message);
}

/**
 * The branch that HEAD is on, without `refs/heads/`, also while it has no commit; `undefined` when
 * HEAD is detached.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's
 *   reason when aborted.
 */
export async function currentBranch(
  workTree: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const args = ["symbolic-ref", "-q", "HEAD"];
  const result = await git("read", workTree, args, options);
  if (result.exitCode === 1) return undefined;
  if (result.exitCode !== 0) throw gitFailed(args, result);
  return result.stdout.trimEnd().replace(/^refs\/heads\//, "");
}

/**
 * What {@link currentGitSha}, `""` while there is no commit, and {@link currentBranch} say. Starts one git
 * process, more where there is no commit.
 *
 * @throws {GitError} As those do, but `ERR_NO_COMMITS`.
 */
export async function currentHead(
  workTree: string,
  options: SignalOptions = {},
): Promise<{ readonly head: string; readonly branch: string | undefined }> {
  const args = ["rev-parse", "-q", "HEAD^{commit}", "--symbolic-full-name", "HEAD"];
  const result = await git("read", workTree, args, options);
  const [sha = "", ref = ""] = result.stdout.split("\n");
  const [, branch] = /^refs\/heads\/(.+)$/u.exec(ref) ?? [];
  if (result.exitCode === 0 && isSha(sha) && (branch !== undefined || ref === "HEAD")) {
    return { head: sha, branch };
  }
  return {
    head: await currentGitSha(workTree, options).catch(noCommit),
    branch: await currentBranch(workTree, options),
  };
}

function noCommit(error: unknown): "" {
  if (error instanceof GitError && error.code === "ERR_NO_COMMITS") return "";
  throw error;
}

/**
 * Whether two commits have one in common in their pasts; `undefined` where one of them is missing. Where history was cut
 * off, what is behind that does not count.
 *
 * @throws {GitError} as `isAncestor`
 */
export async function haveCommonPast(
  workTree: string,
  one: string,
  other: string,
  options: SignalOptions = {},
): Promise<boolean | undefined> {
  const args = ["merge-base", checkSha(one), checkSha(other)];
  const result = await git("read", workTree, args, options);
  if (result.exitCode === 0) return true;
  if (isMissing(result)) return undefined;
  if (result.exitCode !== 1) throw gitFailed(args, result);
  return false;
}

/**
 * Whether commit `ancestor` is `descendant` or in its past; `undefined` if that cannot be known:
 * one of them is missing, or the history is shallow and ends before an answer.
 *
 * @param workTree - Any folder of it. Of an opened repository no process is started where a few commits that lie open say it.
 * @throws {GitError} `ERR_BAD_REVISION` unless both are full commit ids; `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function isAncestor(
  workTree: string | OpenedRepository,
  ancestor: string,
  descendant: string,
  options: SignalOptions = {},
): Promise<boolean | undefined> {
  const args = ["merge-base", "--is-ancestor", checkSha(ancestor), checkSha(descendant)];
  const root = rootOf(workTree);
  options.signal?.throwIfAborted();
  if (typeof workTree !== "string" && !isCutOff(workTree)) {
    if (isSeenBehind(workTree, ancestor, descendant)) return true;
    // No commit is in its own past.
    if (isSeenBehind(workTree, descendant, ancestor)) return false;
  }
  const result = await git("read", root, args, options);
  if (result.exitCode === 0) return true;
  if (isMissing(result)) return undefined;
  if (result.exitCode !== 1) throw gitFailed(args, result);
  const folders = typeof workTree === "string" ? await gitFoldersAt(root) : workTree;
  if (folders !== undefined) return (await isShallow(folders)) ? undefined : false;
  const shallow = ["rev-parse", "--is-shallow-repository"];
  return (await gitOutput("read", root, shallow, options)).trim() === "true" ? undefined : false;
}

/** Whether git may take commits to have other parents than they say. */
function isCutOff({ commonDir }: OpenedRepository): boolean {
  return ["shallow", "info/grafts"].some((file) => existsSync(join(commonDir, file)));
}
