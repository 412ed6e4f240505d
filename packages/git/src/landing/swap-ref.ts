import { closeSync, constants, fsyncSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GitError, isGone } from "../errors.ts";
import type { SignalOptions } from "../head.ts";
import { clearGitLocks } from "../locks.ts";
import { plainRef } from "../loose.ts";
import type { OpenedRepository, Repository } from "../repository.ts";
import { checkRevision, checkSha, isSha } from "../revision.ts";
import { git, gitFailed, type GitResult } from "../run.ts";
import { oneLine, tail } from "../text.ts";
import { failedOrMissing } from "./missing-object.ts";

export interface RefChange {
  /** `refs/…` */
  readonly ref: string;
  /** Full id of the commit that it is at; `undefined`: there is no such ref. */
  readonly from: string | undefined;
  /** Full id of the commit that it comes to be at. */
  readonly to: string;
  /** For its reflog. */
  readonly message: string;
}

/**
 * Moves a ref if it is where it is expected to be, durably, the names of its folders included. `swapped`: it is where it
 * was to come to, also where it was there before. `moved`: it is somewhere else, and nothing was changed. No git hook runs. A lock that another git holds is waited for, one that a dead git has left is
 * moved aside.
 *
 * @throws {GitError} `ERR_NAME_TAKEN`; `ERR_MISSING_OBJECT` where there is no such commit; `ERR_BAD_REVISION`;
 *   `ERR_GIT_FAILED`, also where a lock stays for five seconds; the signal's reason when aborted: it may have been moved.
 * @see SPEC.md, "Landing"
 */
export async function compareAndSwapRef(
  repository: Repository,
  { ref, from, to, message, signal }: RefChange & SignalOptions,
): Promise<"swapped" | "moved"> {
  const { root } = repository;
  const nothing = "0".repeat(checkSha(to).length);
  const args = ["update-ref", "--no-deref", "-z", "-m", oneLine(message), "--stdin"];
  const old = from === undefined ? nothing : checkSha(from);
  const input = `update ${checkRef(ref)}\0${to}\0${old}\0`;
  const end = performance.now() + LOCKED_MS;
  for (;;) {
    const result = await git("keep", root, args, { signal, input });
    if (result.exitCode === 0) {
      syncRef(repository, ref);
      return "swapped";
    }
    const found = await readRef(repository, ref, { signal });
    if (found !== from) {
      syncRef(repository, ref);
      return found === to ? "swapped" : "moved";
    }
    if (!isLocked(result) || performance.now() > end) throw whyNot(ref, args, result);
    const cleared = await clearGitLocks(repository);
    if (cleared.length === 0) await sleep(AGAIN_MS);
  }
}

const LOCKED_MS = 5_000;
const AGAIN_MS = 50;

function isLocked({ stderr }: GitResult): boolean {
  return /\.lock': File exists/u.test(stderr);
}

function whyNot(ref: string, args: readonly string[], result: GitResult): GitError {
  if (/ exists; cannot create /u.test(result.stderr)) {
    const message = `${ref} cannot be made: ${tail(result.stderr)}`;
    return new GitError("ERR_NAME_TAKEN", message);
  }
  return failedOrMissing(args, result);
}

function checkRef(ref: string): string {
  if (ref.startsWith("refs/")) return checkRevision(ref);
  throw new GitError("ERR_BAD_REVISION", `${JSON.stringify(ref)} is not a name in refs/`);
}

/**
 * The id that a ref names, also of a commit that is lost, which `refSha` has for none: what `from` has to be. Starts no
 * process where that is plain to read in git's files.
 *
 * @param ref - `refs/…`
 * @throws {GitError} `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function readRef(
  repository: OpenedRepository,
  ref: string,
  options: SignalOptions = {},
): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "-q", checkRef(ref)];
  options.signal?.throwIfAborted();
  const plain = plainRef(repository, ref);
  if (plain !== undefined) return plain.id;
  const result = await git("read", repository.root, args, options);
  const id = result.stdout.trimEnd();
  if (result.exitCode === 0 && isSha(id)) return id;
  if (result.exitCode === 1) return undefined;
  throw gitFailed(args, result);
}

/**
 * Makes durable that a ref is there, by its folders up to the git folder: git flushes what the file of a ref holds,
 * not its name. For a caller that finds a ref already moved, and does not know whether that was flushed.
 */
export function syncRef({ commonDir }: Pick<Repository, "commonDir">, ref: string): void {
  const folders = [join(commonDir, "reftable")];
  for (let dir = dirname(checkRef(ref)); dir !== "."; dir = dirname(dir)) {
    folders.push(join(commonDir, dir));
  }
  for (const folder of [...folders, commonDir]) syncFolder(folder);
}

/** One is missing where refs are packed, or kept in another way. */
function syncFolder(path: string): void {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
