import { checkVariables } from "./environment.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { remoteAccess, remoteFailed, withoutSecrets } from "./remote-access.ts";
import { checkBranch, checkRemote, checkSha, isSha } from "./revision.ts";
import { git, type GitResult } from "./run.ts";
import { tail } from "./text.ts";

export interface RemoteOptions extends SignalOptions {
  /**
   * More variables for git and what it starts, such as a mark by which their processes are found;
   * none that begins with `GIT_`. @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface PushOptions extends RemoteOptions {
  /** A remote's name or a URL, as `pushTarget` tells. */
  readonly remote: string;
  /** The branch there, without `refs/heads/`; it is made if it is missing. */
  readonly branch: string;
  /** What the branch is to be at: a full commit id. */
  readonly sha: string;
}

/**
 * Brings a branch of a remote to a commit, never back and never by force; nothing else is pushed. The
 * user's `pre-push` hook runs, and their credentials work, but nobody is asked for any. Pushing
 * what is there already changes nothing.
 *
 * @returns `up-to-date` where the branch was at the commit already.
 * @throws {GitError} `ERR_NOT_FAST_FORWARD`; `ERR_PUSH_REFUSED` by a hook or a rule, there or here;
 *   `ERR_REMOTE_AUTH`, `ERR_REMOTE_UNREACHABLE`; `ERR_INVALID_ARGUMENT`, `ERR_BAD_REVISION`,
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`. The signal's reason when aborted.
 *   After any of them the branch may be there: look with `remoteHead`.
 * @see SPEC.md, "Remotes"
 */
export async function pushBranch(
  workTree: string,
  { remote, branch, sha, signal, env = {} }: PushOptions,
): Promise<"pushed" | "up-to-date"> {
  checkVariables(env);
  const access = remoteAccess(process.env);
  const args = [
    "push",
    "--porcelain",
    "--no-follow-tags",
    "--no-recurse-submodules",
    // A repository can name another program here.
    "--receive-pack=git-receive-pack",
    "--",
    checkRemote(remote),
    `${checkSha(sha)}:${checkBranch(branch)}`,
  ];
  const options = { ...access, signal, hooks: true, env: { ...env, ...access.env } };
  const result = await git("write", workTree, args, options);
  const flags = [...result.stdout.matchAll(/^([ +\-*!=])\t/gm)].map(([, flag]) => flag);
  if (result.exitCode === 0) {
    return flags.length > 0 && flags.every((flag) => flag === "=") ? "up-to-date" : "pushed";
  }
  throw pushFailed(args, result, flags.includes("!"));
}

function pushFailed(args: readonly string[], result: GitResult, isRejected: boolean): GitError {
  const told = withoutSecrets(tail(`${result.stderr}\n${result.stdout}`));
  if (/^!\t.*\((?:non-fast-forward|fetch first|needs force|stale info)\)$/m.test(result.stdout)) {
    const message = `the remote's branch has commits that are not here:\n${told}`;
    return new GitError("ERR_NOT_FAST_FORWARD", message);
  }
  if (isRejected) return new GitError("ERR_PUSH_REFUSED", `the remote refused it:\n${told}`);
  const failure = remoteFailed(args, result);
  // A pre-push hook that fails leaves this line only, after what it says itself.
  if (failure.code === "ERR_GIT_FAILED" && /failed to push some refs/.test(result.stderr)) {
    return new GitError("ERR_PUSH_REFUSED", `the pre-push hook refused it:\n${told}`);
  }
  return failure;
}

/**
 * The commit that a branch of a remote is at, where pushes to that remote go; `undefined` if it has no
 * such branch. Asks the remote, so the programs that configuration names for connections run; no git
 * hook does.
 *
 * @param remote - A remote's name or a URL, as `pushTarget` tells.
 * @param branch - Without `refs/heads/`.
 * @throws {GitError} `ERR_REMOTE_AUTH`, `ERR_REMOTE_UNREACHABLE`, `ERR_INVALID_ARGUMENT`,
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function remoteHead(
  workTree: string,
  remote: string,
  branch: string,
  { signal, env = {} }: RemoteOptions = {},
): Promise<string | undefined> {
  checkVariables(env);
  const ref = checkBranch(branch);
  const urls = await git(
    "read",
    workTree,
    ["remote", "get-url", "--push", "--", checkRemote(remote)],
    {
      signal,
    },
  );
  const url = urls.exitCode === 0 ? urls.stdout.split("\n", 1)[0] : undefined;
  const access = remoteAccess(process.env);
  const args = ["ls-remote", "--upload-pack=git-upload-pack", "--", url || remote, ref];
  const options = { ...access, signal, env: { ...env, ...access.env } };
  const result = await git("write", workTree, args, options);
  if (result.exitCode !== 0) throw remoteFailed(args, result);
  // The name is a pattern to git: `refs/x/refs/heads/main` fits too.
  const line = result.stdout.split("\n").find((each) => each.endsWith(`\t${ref}`));
  const sha = line?.split("\t", 1)[0] ?? "";
  return isSha(sha) ? sha : undefined;
}

/**
 * The URL that a remote is fetched from, with the user's abbreviations resolved and without a
 * password; asks nobody. It is what the repository says: of any form, and from anybody.
 *
 * @throws {GitError} `ERR_INVALID_ARGUMENT`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function remoteUrl(
  workTree: string,
  remote: string,
  { signal }: SignalOptions = {},
): Promise<string> {
  const args = ["ls-remote", "--get-url", "--", checkRemote(remote)];
  const result = await git("read", workTree, args, { signal });
  if (result.exitCode !== 0) throw remoteFailed(args, result);
  return withoutSecrets(result.stdout.replace(/\n$/, ""));
}
