import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { remoteAccess, remoteFailed } from "./remote-access.ts";
import { looseCommit, plainRef } from "./loose.ts";
import { type OpenedRepository, rootOf } from "./repository.ts";
import { checkBranch, checkRevision, isMissing, isSha } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

/**
 * The commit that a ref names; `undefined` where there is no such ref, or its commit is lost.
 *
 * @param workTree - Any folder of it. Of an opened repository no process is started where both are plain to read in git's files.
 * @param ref - `HEAD` or `refs/…`.
 * @throws {GitError} `ERR_BAD_REVISION` for another form; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function refSha(
  workTree: string | OpenedRepository,
  ref: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "-q", `${checkRevision(ref)}^{commit}`];
  if (typeof workTree !== "string" && ref.startsWith("refs/")) {
    options.signal?.throwIfAborted();
    const plain = plainRef(workTree, ref);
    if (plain !== undefined && plain.id === undefined) return undefined;
    if (plain?.id !== undefined && looseCommit(workTree, plain.id) !== undefined) return plain.id;
  }
  const result = await git("read", rootOf(workTree), args, options);
  const sha = result.stdout.trimEnd();
  if (result.exitCode === 0 && isSha(sha)) return sha;
  if (result.exitCode === 1 || isMissing(result)) return undefined;
  throw gitFailed(args, result);
}

/**
 * Removes a branch and its settings, wherever it has been merged. What it was at is lost unless
 * something else names it. Resolves to `false` where there is no such branch.
 *
 * @throws {GitError} `ERR_GIT_FAILED` also where a work tree has it checked out;
 *   `ERR_INVALID_ARGUMENT`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function deleteBranch(
  workTree: string,
  branch: string,
  options: SignalOptions = {},
): Promise<boolean> {
  if ((await refSha(workTree, checkBranch(branch), options)) === undefined) return false;
  await gitOutput("keep", workTree, ["branch", "-D", "--quiet", "--", branch], options);
  return true;
}

/** Where a branch is pulled from. */
export interface Upstream {
  /** A remote's name. */
  readonly remote: string;
  /** The branch there, without `refs/heads/`. */
  readonly branch: string;
}

/**
 * What a branch follows, by its settings; else the branch of its name in the only remote, or in
 * `origin`. `undefined` without such a remote. Whether the remote has it is not looked at.
 *
 * @param branch - Without `refs/heads/`; need not be there.
 * @throws {GitError} `ERR_INVALID_ARGUMENT`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function upstreamOf(
  workTree: string,
  branch: string,
  options: SignalOptions = {},
): Promise<Upstream | undefined> {
  const ref = checkBranch(branch);
  const format = "--format=%(refname)%00%(upstream:remotename)%00%(upstream:remoteref)";
  const output = await gitOutput("read", workTree, ["for-each-ref", format, ref], options);
  const [, remote = "", remoteRef = ""] =
    output
      .split("\n")
      .map((line) => line.split("\0"))
      .find(([name]) => name === ref) ?? [];
  if (isRemoteName(remote) && remoteRef.startsWith("refs/heads/")) {
    return { remote, branch: remoteRef.slice("refs/heads/".length) };
  }
  const remotes = await remoteNames(workTree, options);
  const only = remotes.length === 1 ? remotes[0] : remotes.find((name) => name === "origin");
  return only === undefined ? undefined : { remote: only, branch };
}

async function remoteNames(workTree: string, options: SignalOptions): Promise<readonly string[]> {
  const args = ["config", "--null", "--name-only", "--get-regexp", "^remote\\..*\\.url$"];
  const result = await git("read", workTree, args, options);
  if (result.exitCode > 1) throw gitFailed(args, result);
  const names = result.stdout.split("\0").slice(0, -1);
  return [...new Set(names.map((name) => name.slice("remote.".length, -".url".length)))].filter(
    isRemoteName,
  );
}

/** Not `.`, which is this repository; nothing that is an option, a path or an address. */
function isRemoteName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/.test(name);
}

/**
 * Brings a remote's branch here: `refs/remotes/<remote>/<branch>` is what it is there, and its commit is
 * returned. Nothing else is fetched or changed. It is a write: it goes through the user's credentials
 * and transports, but asks for nothing on a terminal; pass a `signal`, it may take long.
 *
 * @throws {GitError} `ERR_REMOTE_AUTH`, `ERR_REMOTE_UNREACHABLE`; `ERR_GIT_FAILED`, also where the remote
 *   has no such branch; `ERR_INVALID_ARGUMENT`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's
 *   reason when aborted.
 */
export async function fetchBranch(
  workTree: string,
  { remote, branch }: Upstream,
  options: SignalOptions = {},
): Promise<string> {
  if (!isRemoteName(remote)) {
    const message = `${JSON.stringify(remote)} cannot be a remote's name`;
    throw new GitError("ERR_INVALID_ARGUMENT", message);
  }
  const there = checkBranch(branch);
  const ref = checkRevision(`refs/remotes/${remote}/${branch}`);
  const args = [
    ...["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"],
    ...["--no-write-fetch-head", "--no-auto-maintenance", "--no-write-commit-graph"],
    // A repository can name another program here.
    "--upload-pack=git-upload-pack",
    ...["--", remote, `+${there}:${ref}`],
  ];
  const access = remoteAccess(process.env);
  const result = await git("write", workTree, args, { ...options, ...access, hooks: true });
  if (result.exitCode !== 0) throw remoteFailed(args, result);
  const sha = await refSha(workTree, ref, options);
  if (sha !== undefined) return sha;
  throw new GitError("ERR_GIT_FAILED", `git fetch brought no ${JSON.stringify(ref)}`);
}
