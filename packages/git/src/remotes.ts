import type { SignalOptions } from "./head.ts";
import { listRefs } from "./refs.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

/** One move of a remote-tracking branch. */
export interface RemoteMove {
  /** The commit that it came to. */
  readonly sha: string;
  /** Seconds since 1970, by the clock of whoever moved it, or what they set for it. */
  readonly at: number;
  /** What git wrote of it: `update by push`, `fetch: fast-forward`. */
  readonly message: string;
}

/** A remote-tracking branch and how it came to be where it is. */
export interface RemoteBranch {
  /** `refs/remotes/origin/main` */
  readonly ref: string;
  readonly sha: string;
  /** Oldest first, as far back as the reflog goes; empty where none is kept. */
  readonly moves: readonly RemoteMove[];
}

/**
 * The remote-tracking branches with their reflogs, in the order of their names.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason
 *   when aborted.
 */
export async function remoteBranches(
  workTree: string,
  options: SignalOptions = {},
): Promise<readonly RemoteBranch[]> {
  const refs = await listRefs(workTree, "refs/remotes/", options);
  const moves = new Map<string, RemoteMove[]>(refs.map(({ ref }) => [ref, []]));
  if (refs.length === 0) return [];
  const format = ["--date=raw", "--format=%gD%x00%H%x00%gs%x00"];
  const args = ["log", "--walk-reflogs", "--no-patch", "--no-decorate", "--no-mailmap", ...format];
  const output = await gitOutput("read", workTree, [...args, "--remotes", "--"], options);
  const fields = output.split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [selector = "", sha = "", message = ""] = fields.slice(at, at + 3);
    const [, ref = "", time = ""] = /^\n?(.*)@\{(\d+)[^}]*\}$/s.exec(selector) ?? [];
    moves.get(ref)?.unshift({ sha, at: Number(time), message });
  }
  return refs.map(({ ref, sha }) => ({ ref, sha, moves: moves.get(ref) ?? [] }));
}

/** Where pushes of a branch go, and what can be seen of them. */
export interface PushTarget {
  /** The names of all remotes. */
  readonly remotes: readonly string[];
  /**
   * Where `git push` sends the branch when it is told nothing: a remote's name, or a URL;
   * `undefined` without a remote.
   */
  readonly remote: string | undefined;
  /** Whether that remote has remote-tracking branches, so that a push leaves a trace. */
  readonly isTracked: boolean;
}

const SETTINGS =
  "^(remote\\..*\\.(fetch|url|pushurl)|remote\\.pushdefault|branch\\..*\\.(pushremote|remote))$";

/**
 * @param branch - Without `refs/heads/`; `undefined` for a detached HEAD.
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason
 *   when aborted.
 */
export async function pushTarget(
  workTree: string,
  branch: string | undefined,
  options: SignalOptions = {},
): Promise<PushTarget> {
  const args = ["config", "--null", "--get-regexp", SETTINGS];
  const result = await git("read", workTree, args, options);
  if (result.exitCode > 1) throw gitFailed(args, result);
  return parsePushTarget(result.stdout, branch);
}

/** Parses `name LF value NUL`; of a name's values the last counts, but for `fetch`. */
function parsePushTarget(output: string, branch: string | undefined): PushTarget {
  const values = new Map<string, string>();
  const remotes = new Set<string>();
  const tracked = new Set<string>();
  for (const entry of output.split("\0").slice(0, -1)) {
    const end = entry.indexOf("\n");
    const [name, value] = end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    values.set(name, value);
    const [, remote, key] = /^remote\.(.*)\.([a-z]+)$/s.exec(name) ?? [];
    if (remote === undefined) continue;
    remotes.add(remote);
    if (key === "fetch" && /:refs\/remotes\//.test(value)) tracked.add(remote);
  }
  const chosen =
    (branch === undefined ? undefined : values.get(`branch.${branch}.pushremote`)) ??
    values.get("remote.pushdefault") ??
    (branch === undefined ? undefined : values.get(`branch.${branch}.remote`)) ??
    (remotes.size === 1 ? [...remotes][0] : "origin");
  const isKnown = remotes.has(chosen ?? "") || /[/:]/.test(chosen ?? "");
  const remote = isKnown ? chosen : undefined;
  return { remotes: [...remotes], remote, isTracked: tracked.has(remote ?? "") };
}
