import { GitError } from "./errors.ts";
import type { GitResult } from "./run.ts";

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const FULL_REF = /^refs\/(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[^\p{Cc} ~^:?*[\\]+$/u;

/** Whether text is a full commit id: 40 (SHA-1) or 64 (SHA-256) lowercase hex digits. */
export function isSha(text: string): boolean {
  return SHA.test(text);
}

const MISSING =
  /^(?:fatal|error): (?:not a valid (?:commit|object) name|bad (?:object|revision) |could not read |object file .* is empty$|loose object )/im;

/** Whether git has failed because the repository does not have a commit, or has lost it. */
export function isMissing({ exitCode, stderr }: Pick<GitResult, "exitCode" | "stderr">): boolean {
  return exitCode === 128 && MISSING.test(stderr);
}

/** @throws {GitError} `ERR_BAD_REVISION` unless it is a full commit id. */
export function checkSha(text: string): string {
  if (isSha(text)) return text;
  throw new GitError("ERR_BAD_REVISION", `${JSON.stringify(text)} is not a full commit id`);
}

/**
 * Short names are refused: a branch may be called `-n` or like a commit's abbreviation.
 *
 * @throws {GitError} `ERR_BAD_REVISION` unless it is `HEAD`, a full commit id or `refs/…`.
 */
export function checkRevision(text: string): string {
  if (text === "HEAD" || isSha(text) || FULL_REF.test(text)) return text;
  const message = `${JSON.stringify(text)} is not HEAD, a full commit id or a name in refs/`;
  throw new GitError("ERR_BAD_REVISION", message);
}

/** @throws {GitError} `ERR_BAD_REVISION` unless it is the full name of a ref, `refs/…`. */
export function checkRef(text: string): string {
  if (FULL_REF.test(text)) return text;
  throw new GitError("ERR_BAD_REVISION", `${JSON.stringify(text)} is not a full name in refs/`);
}

/**
 * The full name of a branch.
 *
 * @throws {GitError} `ERR_INVALID_ARGUMENT` for what cannot be one's, or is more: a pattern, an option.
 */
export function checkBranch(branch: string): string {
  const ref = `refs/heads/${branch}`;
  const isPlain = FULL_REF.test(ref) && !/^$|^-|(?:^|\/)\.|[./]$|^HEAD$/.test(branch);
  if (isPlain) return ref;
  const message = `${JSON.stringify(branch)} cannot be a branch's name`;
  throw new GitError("ERR_INVALID_ARGUMENT", message);
}

/** @throws {GitError} `ERR_INVALID_ARGUMENT` for what is neither a remote's name nor a URL. */
export function checkRemote(remote: string): string {
  if (/^[^\p{Cc}-][^\p{Cc}]*$/u.test(remote)) return remote;
  const message = `${JSON.stringify(remote)} is neither a remote's name nor a URL`;
  throw new GitError("ERR_INVALID_ARGUMENT", message);
}
