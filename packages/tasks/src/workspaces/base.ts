import { currentBranch, currentGitSha, GitError, type Repository } from "@quasar/git";
import { isAncestor, refSha } from "@quasar/git/history";
import { fetchBranch, upstreamOf } from "@quasar/git/remotes";
import { messageOf, TasksError } from "../errors.ts";

type Upstream = Parameters<typeof fetchBranch>[1];

/** What a task's branch begins at. */
export interface Base {
  readonly sha: string;
  /** The branch that a pull request goes to; `""` where none is known. */
  readonly branch: string;
}

export interface FindBaseOptions {
  /** @default the branch that is checked out */
  readonly base?: string | undefined;
  readonly useLocal?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onWarning: (message: string) => void;
}

const FETCH_MS = 60_000;

/**
 * Where a new branch begins: at its base in the remote, fetched now; at what is here of it where that does
 * not come off, or is wanted.
 *
 * @throws {TasksError} `ERR_NOT_FOUND`; {@link GitError}
 */
export async function findBase(
  { root }: Pick<Repository, "root">,
  { base, useLocal = false, signal, onWarning }: FindBaseOptions,
): Promise<Base> {
  const name = base ?? (await currentBranch(root, { signal }));
  if (name === undefined) return { sha: await currentGitSha(root, { signal }), branch: "" };
  const { local, upstream } = await lookUp(root, name, signal);
  const fetched =
    useLocal || upstream === undefined
      ? undefined
      : await tryToFetch(root, { upstream, signal, onWarning });
  if (fetched !== undefined && local !== undefined) {
    const isBehind = await isAncestor(root, local, fetched, { signal });
    if (isBehind === false) onWarning(aheadOf(name, upstream));
  }
  const known = upstream && `refs/remotes/${upstream.remote}/${upstream.branch}`;
  const sha = fetched ?? local ?? (known && (await refSha(root, known, { signal })));
  if (sha !== undefined) return { sha, branch: upstream?.branch ?? name };
  if (base === undefined) return { sha: await currentGitSha(root, { signal }), branch: name };
  throw new TasksError("ERR_NOT_FOUND", `there is no branch ${JSON.stringify(name)} to begin at`);
}

/** `origin/main` is the branch `main` of `origin`, unless there is a branch of that name here. */
async function lookUp(
  root: string,
  name: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly local: string | undefined; readonly upstream: Upstream | undefined }> {
  try {
    const local = await refSha(root, `refs/heads/${name}`, { signal });
    const [, remote, branch] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
    if (local === undefined && remote !== undefined && branch !== undefined) {
      const tracked = await refSha(root, `refs/remotes/${name}`, { signal });
      if (tracked !== undefined) return { local, upstream: { remote, branch } };
    }
    return { local, upstream: await upstreamOf(root, name, { signal }) };
  } catch (error) {
    const isNoName =
      error instanceof GitError &&
      (error.code === "ERR_BAD_REVISION" || error.code === "ERR_INVALID_ARGUMENT");
    if (!isNoName) throw error;
    const message = `${JSON.stringify(name)} cannot be a branch's name`;
    throw new TasksError("ERR_NOT_FOUND", message, { cause: error });
  }
}

interface Fetching {
  readonly upstream: Upstream;
  readonly signal: AbortSignal | undefined;
  readonly onWarning: (message: string) => void;
}

async function tryToFetch(
  root: string,
  { upstream, signal, onWarning }: Fetching,
): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(FETCH_MS);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    return await fetchBranch(root, upstream, { signal: either });
  } catch (error) {
    signal?.throwIfAborted();
    const { remote, branch } = upstream;
    const why = messageOf(error);
    onWarning(`${branch} of ${remote} was not fetched, so the task begins at what is here: ${why}`);
    return undefined;
  }
}

function aheadOf(name: string, upstream: Upstream | undefined): string {
  const there = upstream === undefined ? "the remote" : `${upstream.branch} of ${upstream.remote}`;
  return `${name} has commits here that ${there} has not: the task begins without them`;
}
