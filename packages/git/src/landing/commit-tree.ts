import { GitError } from "../errors.ts";
import type { Identity } from "../config.ts";
import type { SignalOptions } from "../head.ts";
import { looseCommit } from "../loose.ts";
import { checkSha } from "../revision.ts";
import { folderOutput, type MergeFolder } from "./merge-folder.ts";

/** All that a commit is made of. */
export interface NewCommit {
  /** Full id. */
  readonly tree: string;
  /** Full ids; the first is the one that is committed on. */
  readonly parents: readonly string[];
  /** With its trailers; is committed as it is, with a line break at its end. */
  readonly message: string;
  /** The committer too. */
  readonly author: Identity;
  /** Since 1970; in the commit with the time zone UTC. */
  readonly atSeconds: number;
}

/**
 * Makes a commit, durably, and returns its id, which depends on nothing but what is given. No ref names it.
 *
 * @throws {GitError} `ERR_MISSING_OBJECT`; `ERR_INVALID_ARGUMENT` for a message with a NUL or a time that is no whole
 *   number; `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function commitTree(
  folder: MergeFolder,
  { tree, parents, message, author, atSeconds, signal }: NewCommit & SignalOptions,
): Promise<string> {
  const date = `@${checkTime(atSeconds)} +0000`;
  const roles = ["AUTHOR", "COMMITTER"].map((role) => ({
    [`GIT_${role}_NAME`]: author.name,
    [`GIT_${role}_EMAIL`]: author.email,
    [`GIT_${role}_DATE`]: date,
  }));
  const env = Object.assign({}, ...roles) as Record<string, string>;
  const lineage = parents.flatMap((parent) => ["-p", checkSha(parent)]);
  const args = ["commit-tree", checkSha(tree), ...lineage];
  const input = checkMessage(message);
  return (await folderOutput("keep", folder, args, { signal, env, input })).trim();
}

function checkTime(seconds: number): number {
  if (Number.isSafeInteger(seconds) && seconds >= 0) return seconds;
  throw new GitError("ERR_INVALID_ARGUMENT", `${seconds} is no whole number of seconds since 1970`);
}

function checkMessage(message: string): string {
  if (message.includes("\0")) {
    throw new GitError("ERR_INVALID_ARGUMENT", "a commit's message cannot have a NUL in it");
  }
  const text = message.toWellFormed();
  return text.endsWith("\n") ? text : `${text}\n`;
}

/**
 * The date of a commit that is made of others, in seconds since 1970: the latest date at which one of them was
 * committed. One that no clock shows counts as 0.
 *
 * @param parents - Full commit ids.
 * @throws {GitError} `ERR_MISSING_OBJECT`, `ERR_BAD_REVISION`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function landingDate(
  folder: MergeFolder,
  parents: readonly string[],
  { signal }: SignalOptions = {},
): Promise<number> {
  const ids = parents.map(checkSha);
  signal?.throwIfAborted();
  const known = ids.map((id) => looseCommit(folder.repository, id)?.atSeconds);
  const times = known.filter((seconds) => seconds !== undefined);
  if (times.length === ids.length) return Math.max(0, ...times);
  const args = ["rev-list", "--no-walk=unsorted", "--no-commit-header", "--format=%ct", ...ids];
  const output = await folderOutput("read", folder, [...args, "--"], { signal });
  return Math.max(0, ...output.split("\n").map(secondsIn));
}

function secondsIn(line: string): number {
  const seconds = /^\d+$/u.test(line) ? Number(line) : 0;
  return Number.isSafeInteger(seconds) ? seconds : 0;
}
