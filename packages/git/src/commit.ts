import { type Identity, missingIdentity } from "./config.ts";
import { checkVariables } from "./environment.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { type GitResult, git, quoted } from "./run.ts";
import { type DirtyPath, isUnmerged } from "./status.ts";
import { cut, oneLine, tail } from "./text.ts";
import { formatTrailers } from "./trailers.ts";
import { lookAtWork, type SeenWork } from "./work.ts";

export interface CommitOptions extends SignalOptions {
  /** Any text: it becomes one line of at most 72 code points. */
  readonly subject: string;
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
}

/** The longest subject that is written, in code points. */
export const SUBJECT_LENGTH = 72;

/**
 * Commits everything in the work tree that is not ignored or excluded, deletions and untracked
 * files included, on HEAD, be it a branch with or without commits or detached. The user's git
 * hooks and filters run. Starts four git processes, two if there is nothing to commit; two fewer
 * with `seen`; in a submodule one more.
 *
 * @param workDir - Any folder of the work tree; all of it is committed.
 * @returns The new commit's id; `undefined` when there was nothing to commit.
 * @throws {GitError} `ERR_UNMERGED`; `ERR_COMMIT_FAILED`: nothing was committed, what was staged
 *   stays staged; `ERR_INVALID_ARGUMENT`; `ERR_FOREIGN_WORK_TREE`, `ERR_NOT_A_REPOSITORY`,
 *   `ERR_GIT_MISSING`, `ERR_GIT_FAILED`. The signal's reason when aborted, which may be after the
 *   commit was made.
 * @see SPEC.md, "Commits"
 */
export async function commitAll(
  workDir: string,
  options: CommitOptions,
): Promise<string | undefined> {
  const { signal, exclude = [], env = {} } = options;
  const message = commitMessage(options);
  checkVariables(env);
  const kept = exclude.map((path) => checkExclude(path.replace(/\/$/, "")));
  const { config, dirty } = options.seen ?? (await lookAtWork(workDir, { signal }));
  const isExcluded = ({ path }: DirtyPath): boolean =>
    kept.some((excluded) => path === excluded || path.startsWith(`${excluded}/`));
  const wanted = dirty.filter((entry) => !isExcluded(entry));
  if (wanted.length === 0) return undefined;
  const unmerged = wanted.find(isUnmerged);
  if (unmerged !== undefined) throw conflict(unmerged.path);

  const paths = [":/", ...kept.flatMap(excluding)];
  const added = await git("write", workDir, ["add", "-A", "--", ...paths], { signal, env });
  if (added.exitCode !== 0) throw commitFailed("stage the changes", added);

  // Naming the paths makes git leave out what is staged of others; it is not always done because
  // git hooks then see an index that is not the usual one.
  const only = dirty.some((entry) => isExcluded(entry) && isStaged(entry));
  const args = ["commit", "--cleanup=whitespace", "--file=-"];
  const committed = await git("write", workDir, only ? [...args, "--only", "--", ...paths] : args, {
    signal,
    hooks: true,
    input: message,
    env: { ...env, ...missingIdentity(config, process.env), ...commitEnvironment(options) },
  });
  if (committed.exitCode === 0) return commitId(committed.stdout);
  if (committed.exitCode === 1 && NOTHING.test(committed.stdout)) return undefined;
  throw commitFailed("commit", committed);
}

function commitMessage({ subject, trailers = {} }: CommitOptions): string {
  const line = cut(oneLine(subject), SUBJECT_LENGTH) || "(no subject)";
  const block = formatTrailers(trailers);
  return block === "" ? `${line}\n` : `${line}\n\n${block}`;
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

/**
 * The pathspecs that leave out a path as `status` has told it. Bytes that are no UTF-8 cannot be passed
 * on: whatever stands in their place is left out, if it begins with what is no plain ASCII.
 */
function excluding(path: string): readonly string[] {
  if (!path.includes("\ufffd")) return [`:(top,literal,exclude)${path}`];
  const pattern = path.replaceAll(/[\\*?[\]]/g, "\\$&").replaceAll(/\ufffd+/g, "[^ -~]*");
  return [`:(top,glob,exclude)${pattern}`, `:(top,glob,exclude)${pattern}/**`];
}

function isStaged({ status }: DirtyPath): boolean {
  return status !== "??" && status[0] !== ".";
}

// `[branch id] subject`, the id being whole because of `core.abbrev=no`. A branch has no space in its
// name, so a subject that looks the same cannot take the id's place.
const SUMMARY = /^\[(?:detached HEAD|\S+)(?: \(root-commit\))? ([0-9a-f]{40}|[0-9a-f]{64})\] /;
// The changes that status saw can turn out to be none, such as line endings only.
const NOTHING = /^(?:nothing to commit|nothing added to commit|no changes added to commit)/m;

function commitId(stdout: string): string {
  const sha = SUMMARY.exec(stdout)?.[1];
  if (sha !== undefined) return sha;
  throw new GitError("ERR_GIT_FAILED", `git commit did not name its commit: ${tail(stdout)}`);
}

function conflict(path: string): GitError {
  const message = `${quoted(path)} has conflicts: resolve them or abort the merge, then go on`;
  return new GitError("ERR_UNMERGED", message);
}

function commitFailed(doing: string, { exitCode, stderr, stdout }: GitResult): GitError {
  const why = tail(stderr) || tail(stdout);
  const advice = "put right what it names (a git hook, a lock, a nested repository), then go on";
  const message = `git could not ${doing} (exit code ${exitCode}): ${advice}:\n${why}`;
  return new GitError("ERR_COMMIT_FAILED", message);
}
