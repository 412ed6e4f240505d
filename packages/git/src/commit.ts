import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Config, type Identity, missingIdentity } from "./config.ts";
import { checkVariables } from "./environment.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { hasRefusingHook } from "./hooks.ts";
import { type FailedCommit, refusalOf } from "./refusal.ts";
import type { CommitRefusal } from "./commit-refusal.ts";
import { openRepository, type Repository } from "./repository.ts";
import { git } from "./run.ts";
import { refusedBySparse } from "./sparse.ts";
import { excluding, stage } from "./stage.ts";
import { isAllStaged, isUnmerged } from "./status.ts";
import type { DirtyPath } from "./dirty-path.ts";
import { cleanLines, cut, oneLine, quoted, tail } from "./text.ts";
import { formatTrailers } from "./trailers.ts";
import { readCommitState, type SeenWork } from "./work.ts";

export interface CommitOptions extends SignalOptions {
  /** Any text: it becomes one line of at most 72 code points. */
  readonly subject: string;
  /**
   * Paragraphs between the subject and the trailers, as they are to stand there; controls become spaces.
   * Without trailers the last one is read as such if it looks so. @default ""
   */
  readonly body?: string | undefined;
  /** By name, in order; see `TRAILER`. @default {} */
  readonly trailers?: Readonly<Record<string, string>> | undefined;
  /**
   * Files and folders that are never committed, even if somebody has staged them: literal paths
   * from the root of the work tree, `/` between parts, as `dirtyPaths` lists them. @default []
   */
  readonly exclude?: readonly string[] | undefined;
  /** Takes the place of the author that git is configured with. */
  readonly author?: Identity | undefined;
  /** How the reflog calls the commit. @default "commit" */
  readonly reflogAction?: string | undefined;
  /**
   * More variables for git and the user's git hooks, such as a mark by which their processes are
   * found; none that begins with `GIT_`. @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What was seen just before, so that git is not asked again. @default looked at now */
  readonly seen?: SeenWork | undefined;
  /**
   * Id of the tree to commit instead of what is in the work tree; its objects are in the repository,
   * as of `treeToCommit`. Where the work tree differs from it, that stays uncommitted.
   */
  readonly tree?: string | undefined;
}

/** The longest subject that is written, in code points. */
export const SUBJECT_LENGTH = 72;

/** How much a commit changes, as git sums it up: a renamed file is one, a binary one has no lines. */
export interface ChangeCount {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export interface Committed {
  /** Full id of the new commit. */
  readonly sha: string;
  /** `undefined` of a merge, of which git does not say it. */
  readonly changes: ChangeCount | undefined;
}

/**
 * Commits everything in the work tree that is not ignored, excluded or a tool's cache, deletions and untracked
 * files included, on HEAD, be it a branch with or without commits or detached. The user's git
 * hooks and filters run. A `pre-commit` hook that refuses and leaves changed files is tried once more, with
 * those files: that is how formatting ones work. Starts three git processes, four where the settings have changed, two
 * fewer if there is nothing to commit, one fewer with `seen`; in a submodule and in a sparse checkout one more.
 *
 * @param workTree - Any folder of the work tree; all of it is committed.
 * @returns `undefined` when there was nothing to commit.
 * @throws {GitError} `ERR_UNMERGED`; `ERR_COMMIT_FAILED`: nothing was committed, what was staged
 *   stays staged; `ERR_INVALID_ARGUMENT`; `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`. The signal's reason when aborted, which may be after the
 *   commit was made.
 * @see SPEC.md, "Commits"
 */
export async function commitAll(
  workTree: string,
  options: CommitOptions,
): Promise<Committed | undefined> {
  const { signal, exclude = [], env = {}, tree } = options;
  const message = commitMessage(options);
  checkVariables(env);
  const named = exclude.map((path) => checkExclude(path.replace(/\/$/, "")));
  const { config, dirty, caches } = options.seen ?? (await readCommitState(workTree, { signal }));
  const kept = [...named, ...caches.map(({ path }) => path)];
  const isExcluded = ({ path }: DirtyPath): boolean =>
    kept.some((excluded) => path === excluded || path.startsWith(`${excluded}/`));
  const wanted = dirty.filter((entry) => !isExcluded(entry));
  if (wanted.length === 0 && tree === undefined) return undefined;
  const unmerged = wanted.find(isUnmerged);
  if (unmerged !== undefined) throw conflict(unmerged.path);

  // Naming the paths makes git leave out what is staged of others; it is not always done because
  // git hooks then see an index that is not the usual one.
  const isLeftOut = (entry: DirtyPath): boolean => isExcluded(entry) && isStaged(entry);
  const only = tree === undefined && [...dirty, ...caches].some(isLeftOut);
  const attempt = { workTree, wanted, excluded: kept, only, message, config, options };
  const result = await tryCommit(attempt);
  if (!(result instanceof GitError)) return result;
  if (result.refusal?.by !== "pre-commit" || tree !== undefined) throw result;
  const left = (await readCommitState(workTree, { signal })).dirty.filter(
    (entry) => !isExcluded(entry),
  );
  const isPutRight = left.some((entry) => !isAllStaged(entry));
  const again = isPutRight ? await tryCommit({ ...attempt, wanted: left }) : result;
  if (again instanceof GitError) throw again;
  return again;
}

interface CommitAttempt {
  readonly workTree: string;
  readonly wanted: readonly DirtyPath[];
  readonly excluded: readonly string[];
  readonly only: boolean;
  readonly message: string;
  readonly config: Config;
  readonly options: CommitOptions;
}

/** Resolves to the error where the commit was refused. */
async function tryCommit(attempt: CommitAttempt): Promise<Committed | undefined | GitError> {
  const { workTree, wanted, excluded, only, message, config, options } = attempt;
  const { signal, env = {}, tree } = options;
  const run = { signal, env };
  const changed = wanted.filter((entry) => !isAllStaged(entry)).map(({ path }) => path);
  const added = await (tree === undefined
    ? stage(workTree, { changed, excluded, run })
    : git("write", workTree, ["read-tree", "--reset", tree], run));
  const isAdded = added.exitCode === 0;
  const passedOver =
    isAdded && tree === undefined && (await refusedBySparse(workTree, wanted, config, { signal }));
  const unstaged = isAdded ? passedOver : added;
  if (unstaged) {
    return commitFailed({ ...unstaged, command: "add", ...UNTRIED });
  }
  const args = ["commit", "--cleanup=whitespace", "--file=-"];
  const these = only ? ["--only", "--", ":/", ...excluded.flatMap(excluding)] : [];
  const committed = await git("write", workTree, [...args, ...these], {
    signal,
    hooks: true,
    input: message,
    env: { ...env, ...missingIdentity(config, process.env), ...commitEnvironment(options) },
  });
  if (committed.exitCode === 0) return parseSummary(committed.stdout);
  if (committed.exitCode === 1 && NOTHING.test(committed.stdout)) return undefined;
  const hooks = await hookState(workTree, options, message);
  return commitFailed({ ...committed, command: "commit", ...hooks });
}

type HookState = Pick<FailedCommit, "isMessageWritten" | "hasHook">;

const UNTRIED: HookState = { isMessageWritten: false, hasHook: false };

/** What there is to say which hook has refused a commit. */
async function hookState(
  workTree: string,
  options: CommitOptions,
  message: string,
): Promise<HookState> {
  const { signal } = options;
  try {
    const repository = await openRepository(workTree, { signal });
    const hasHook = await hasRefusingHook(repository, { signal });
    return { isMessageWritten: await hasMessage(repository, options, message), hasHook };
  } catch {
    return UNTRIED;
  }
}

/** Whether git has come so far with this commit that it wrote the message for its hooks. */
async function hasMessage(
  { root, gitDir }: Repository,
  { trailers = {}, signal }: CommitOptions,
  message: string,
): Promise<boolean> {
  try {
    const written = await readFile(join(gitDir, "COMMIT_EDITMSG"), "utf8");
    // A hook may have put something else before the trailers, which say whose commit it is. The last
    // commit may have the same, and its message is still there.
    const own = formatTrailers(trailers).trim() || message.trim();
    const args = ["log", "--max-count=1", "--format=%B", "--no-show-signature"];
    const last = await git("read", root, args, { signal });
    return written.includes(own) && oneLine(written) !== oneLine(last.stdout);
  } catch {
    return false;
  }
}

function commitMessage({ subject, body = "", trailers = {} }: CommitOptions): string {
  const line = cut(oneLine(subject), SUBJECT_LENGTH) || "(no subject)";
  const paragraphs = [line, cleanLines(body), formatTrailers(trailers).trimEnd()];
  return `${paragraphs.filter((text) => text !== "").join("\n\n")}\n`;
}

function commitEnvironment({ author, reflogAction }: CommitOptions): Record<string, string> {
  return {
    ...(author && { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email }),
    ...(reflogAction === undefined ? {} : { GIT_REFLOG_ACTION: oneLine(reflogAction) }),
  };
}

/** An empty path would exclude everything, one with `..` nothing that the caller means. */
function checkExclude(path: string): string {
  const parts = path.split("/");
  if (!path.includes("\0") && parts.every((part) => part !== "" && part !== "." && part !== "..")) {
    return path;
  }
  const message = `cannot exclude ${quoted(path)}: not a plain path from the work tree's root`;
  throw new GitError("ERR_INVALID_ARGUMENT", message);
}

function isStaged({ status }: DirtyPath): boolean {
  return status !== "??" && status[0] !== ".";
}

// `[branch id] subject`, the id being whole because of `core.abbrev=no`. A branch has no space in its
// name, so a subject that looks the same cannot take the id's place.
const SUMMARY = /^\[(?:detached HEAD|\S+)(?: \(root-commit\))? ([0-9a-f]{40}|[0-9a-f]{64})\] /;
// The changes that status saw can turn out to be none, such as line endings only.
const NOTHING = /^(?:nothing to commit|nothing added to commit|no changes added to commit)/m;

// Of no lines git says nothing, nor of lines that are not there.
const SHORT_STAT =
  /^ (\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?$/mu;

function parseSummary(stdout: string): Committed {
  const sha = SUMMARY.exec(stdout)?.[1];
  const [, files, added = 0, removed = 0] = SHORT_STAT.exec(stdout) ?? [];
  const changes =
    files === undefined ? undefined : { files: +files, added: +added, removed: +removed };
  if (sha !== undefined) return { sha, changes };
  throw new GitError("ERR_GIT_FAILED", `git commit did not name its commit: ${tail(stdout)}`);
}

function conflict(path: string): GitError {
  const message = `${quoted(path)} has conflicts: resolve them or abort the merge, then try again`;
  return new GitError("ERR_UNMERGED", message);
}

function commitFailed(failed: FailedCommit): GitError {
  const refusal = refusalOf(failed);
  const why = tail(failed.stderr) || tail(failed.stdout);
  const message = failedMessage(refusal.by, failed.exitCode, why);
  return new GitError("ERR_COMMIT_FAILED", message, { refusal });
}

/** What git itself says is on the first line, which is all that a screen may show; what a hook prints follows it. */
function failedMessage(by: CommitRefusal["by"], exitCode: number, why: string): string {
  const code = `(exit code ${exitCode})`;
  const lines = why.split("\n");
  const reason = lines.find((line) => OWN_REASON.test(line));
  const isOfHook = by === "pre-commit" || by === "commit-msg";
  if (isOfHook || reason === undefined) return `${REFUSED[by]} ${code}:\n${why}`;
  const first = `${REFUSED[by]}: ${reason.replace(OWN_REASON, "")} ${code}`;
  return [first, ...lines.filter((line) => line !== reason)].join("\n");
}

const OWN_REASON = /^(?:fatal|error): /u;

const REFUSED: Readonly<Record<CommitRefusal["by"], string>> = {
  stage: "git could not stage the changes",
  "pre-commit": "the pre-commit hook refused the commit",
  "commit-msg": "the commit-msg hook refused the commit message",
  signing: "git could not sign the commit",
  git: "git could not commit",
};
