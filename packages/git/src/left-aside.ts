import { stat } from "node:fs/promises";
import { join } from "node:path";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { plainHead } from "./loose.ts";
import type { Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";

/** A point in the reflog of a ref. */
interface Entry {
  readonly sha: string;
  readonly parents: string;
  /** When the commit was made, in seconds. */
  readonly at: number;
  readonly action: string;
}

/** Newest first. */
async function reflog(
  root: string,
  ref: string,
  signal: AbortSignal | undefined,
): Promise<readonly Entry[]> {
  const format = "--format=%H%x00%P%x00%ct%x00%gs%x00";
  const args = ["log", "--walk-reflogs", `--max-count=${LENGTH}`, format, "--no-patch"];
  const asked = [...args, "--no-decorate", "--no-mailmap", ref, "--"];
  const fields = (await gitOutput("read", root, asked, { signal })).split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [sha = "", parents = "", time = "", message = ""] = fields.slice(at, at + 4);
    const [action = ""] = message.split(": ", 1);
    entries.push({ sha: sha.trim(), parents, at: Number(time), action });
  }
  return entries;
}

const LENGTH = 1000;

/** What may have been put aside. */
export interface AsideOptions extends SignalOptions {
  /** What was made before is not looked at. */
  readonly since: Date;
  /** Of an action in HEAD's reflog. */
  readonly isWanted: (action: string) => boolean;
}

/**
 * Commits that HEAD was brought to by certain actions and whose changes are not in HEAD's past: made on another
 * branch or on none. One that was amended is left out, and so is one of which HEAD's past has a copy.
 *
 * @returns Newest first; of several in a line the last one.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function commitsLeftAside(
  repository: Repository,
  { since, isWanted, signal }: AsideOptions,
): Promise<readonly string[]> {
  const { root } = repository;
  const entries = await reflog(root, "HEAD", signal);
  const made = entries.filter(({ action, parents, at }, n) => {
    const next = entries[n - 1];
    const isAmended = next?.parents === parents && isWanted(next.action);
    return isWanted(action) && isSince(at, since) && !isAmended;
  });
  const past = pastOf(plainHead(repository), entries);
  const shas = [...new Set(made.map(({ sha }) => sha))].filter((sha) => !past.has(sha));
  if (shas.length === 0) return [];
  const list = async (...args: readonly string[]): Promise<readonly string[]> =>
    (await gitOutput("read", root, ["rev-list", ...args, "--"], { signal })).split("\n");
  const apart = new Set(await list(...shas, "--not", "HEAD"));
  const left: string[] = [];
  for (const sha of shas.filter((each) => apart.has(each))) {
    const others = left.map((tip) => `^${tip}`);
    const range = ["--right-only", "--cherry-pick", "--no-merges", `HEAD...${sha}`, ...others];
    if ((await list("--max-count=1", ...range))[0] !== "") left.push(sha);
  }
  return left;
}

/** Of a commit and its past what entries, newest first, tell by their parents. */
function pastOf(head: string | undefined, entries: readonly Entry[]): ReadonlySet<string> {
  const past = new Set(head === undefined ? [] : [head]);
  for (const { sha, parents } of entries) {
    if (past.has(sha)) for (const parent of parents.split(" ")) past.add(parent);
  }
  return past;
}

/** Git tells times in whole seconds. */
function isSince(at: number, since: Date): boolean {
  return at >= Math.floor(since.getTime() / 1000);
}

/** Work that `git stash` has put aside. */
export interface Stash {
  /** As a command takes it: `stash@{0}`. */
  readonly name: string;
  readonly sha: string;
  /** The commit that HEAD was at. */
  readonly base: string;
}

/**
 * What was stashed since a moment, in any work tree of the repository. Starts no git process where nothing is.
 *
 * @returns Newest first.
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function stashedSince(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  since: Date,
  { signal }: SignalOptions = {},
): Promise<readonly Stash[]> {
  try {
    await stat(join(commonDir, "logs", "refs", "stash"));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
  const entries = await reflog(root, "refs/stash", signal);
  return entries.flatMap(({ sha, parents, at }, n) => {
    const [base = ""] = parents.split(" ", 1);
    return isSince(at, since) ? [{ name: `stash@{${n}}`, sha, base }] : [];
  });
}
