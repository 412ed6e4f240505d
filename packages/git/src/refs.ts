import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { checkRevision, checkSha } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";

/** A name in `refs/` and what it names. */
export interface Ref {
  readonly ref: string;
  readonly sha: string;
}

const PREFIX = /^refs\/(?:[A-Za-z0-9_][A-Za-z0-9._-]*\/)*$/;

/**
 * The refs below a folder of refs, in the order of their names.
 *
 * @param prefix - Begins with `refs/` and ends with `/`.
 * @throws {GitError} `ERR_INVALID_ARGUMENT`; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function listRefs(
  workTree: string,
  prefix: string,
  options: SignalOptions = {},
): Promise<readonly Ref[]> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", checkPrefix(prefix)];
  const lines = (await gitOutput("read", workTree, args, options)).split("\n").slice(0, -1);
  return lines.map((line) => {
    const end = line.indexOf(" ");
    return { sha: line.slice(0, end), ref: line.slice(end + 1) };
  });
}

/**
 * Removes refs, all or none.
 *
 * @param refs - With what they name: one that names something else by now stays, with all others.
 * @throws {GitError} as `createRef` does.
 */
export async function removeRefs(
  workTree: string,
  refs: readonly Ref[],
  options: SignalOptions = {},
): Promise<void> {
  if (refs.length === 0) return;
  const args = ["update-ref", "--no-deref", "-z", "--stdin"];
  const lines = refs.map(({ ref, sha }) => `delete ${checkRevision(ref)}\0${checkSha(sha)}\0`);
  await gitOutput("keep", workTree, args, { ...options, input: lines.join("") });
}

/**
 * Creates a ref, durably; resolves to `false`, changing nothing, where there is one of that name.
 *
 * @param ref - `refs/…`.
 * @throws {GitError} `ERR_BAD_REVISION`; `ERR_GIT_FAILED` also where there is no such commit;
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function createRef(
  workTree: string,
  { ref, sha }: Ref,
  options: SignalOptions = {},
): Promise<boolean> {
  const args = ["update-ref", "--no-deref", "-z", "--stdin"];
  const input = `create ${checkRevision(ref)}\0${checkSha(sha)}\0`;
  const result = await git("keep", workTree, args, { ...options, input });
  if (result.exitCode === 0) return true;
  // Two that create it at once: one of them finds the other's lock.
  if (/reference already exists|File exists|unable to lock/.test(result.stderr)) {
    if (await hasRef(workTree, ref, options)) return false;
  }
  throw gitFailed(args, result);
}

/** Whether there is such a ref, `refs/…`, whatever it names. */
export async function hasRef(
  workTree: string,
  ref: string,
  options: SignalOptions,
): Promise<boolean> {
  const args = ["show-ref", "--verify", "-q", "--", ref];
  const { exitCode } = await git("read", workTree, args, options);
  return exitCode === 0;
}

export function checkPrefix(prefix: string): string {
  if (PREFIX.test(prefix) && !/\.\.|\.lock\//.test(prefix)) return prefix;
  throw badPrefix(prefix);
}

function badPrefix(prefix: string): GitError {
  const message = `${JSON.stringify(prefix)} is not a folder of refs: refs/…/`;
  return new GitError("ERR_INVALID_ARGUMENT", message);
}
