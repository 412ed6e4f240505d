import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ceilingAbove, nearestGitEntry } from "./discovery.ts";
import { type ConfigPair, configVariables, DURABLE, scrubbed, userConfig } from "./environment.ts";
import { GitError, isGone, messageOf } from "./errors.ts";
import { announced } from "./git-work.ts";
import { noWorkTree } from "./no-work-tree.ts";
import { type ProcessSpec, runProcess } from "./process.ts";
import { quoted, tail } from "./text.ts";

/** What a run of git ended with: its output as text, and its exit code. */
export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Ends git when aborted; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** What git reads from its stdin, which is closed otherwise. */
  readonly input?: string | Readable | undefined;
  /** `latin1` keeps each byte of the output as one character. @default "utf8" */
  readonly encoding?: "utf8" | "latin1" | undefined;
  /** Takes stdout piece by piece, whatever its size: the result has none of it. It throws nothing. @default it is kept */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  /** The user's git hooks may run, and leave something running. @default false */
  readonly hooks?: boolean | undefined;
  /**
   * Without one, git and what it starts cannot ask anybody anything, and all of it ends when the call
   * is aborted. @default true
   */
  readonly hasTerminal?: boolean | undefined;
  /** Of a `git worktree add` that makes a branch: the arguments for one that is there. @default the same */
  readonly argsWithBranch?: readonly string[] | undefined;
  /** Added to the profile's configuration. */
  readonly config?: readonly ConfigPair[] | undefined;
  /** Added to the profile's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/**
 * How git is run.
 *
 * `read` answers questions about a repository that may be hostile: nothing that its configuration
 * names is started, nothing is fetched, nothing is written. `write` does what the user asked for,
 * with the user's git hooks and filters, durably. `keep` writes what nobody asked for, snapshots and
 * their refs: durably, and with as little of the repository's say as a read.
 *
 * @see SPEC.md, "Reads", "Commits" and "Snapshots"
 */
export type Profile = "read" | "write" | "keep";

/** By all that the system says of a file it is known whether it has changed, not by size and time alone. */
const WHOLE_STAT: readonly ConfigPair[] = [
  ["core.trustctime", "true"],
  ["core.checkStat", "default"],
  ["core.ignoreStat", "false"],
];

const WRITE: readonly ConfigPair[] = [
  DURABLE,
  ...WHOLE_STAT,
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
  ["core.abbrev", "no"],
  ["status.showStash", "false"],
  ["add.ignoreErrors", "false"],
  ["i18n.commitEncoding", "UTF-8"],
  ["color.ui", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

const CONFIG: Readonly<Record<Profile, readonly ConfigPair[]>> = {
  read: [
    ...WHOLE_STAT,
    ["safe.bareRepository", "explicit"],
    ["core.fsmonitor", "false"],
    ["core.hooksPath", "/dev/null"],
    ["core.commitGraph", "false"],
    ["status.showStash", "false"],
    ["log.showSignature", "false"],
    ["i18n.logOutputEncoding", "UTF-8"],
    ["color.ui", "false"],
  ],
  write: WRITE,
  keep: [...WRITE, ["core.hooksPath", "/dev/null"], ["core.commitGraph", "false"]],
};

/** Objects are what their ids say, as they are in every clone. */
const NOT_REPLACED: Readonly<Record<string, string>> = { GIT_NO_REPLACE_OBJECTS: "1" };

/** None is searched for elsewhere. */
const AS_IT_IS: Readonly<Record<string, string>> = {
  ...NOT_REPLACED,
  // A missing object of a partial clone is fetched through programs the repository names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "",
};

const ENVIRONMENT: Readonly<Record<Profile, Readonly<Record<string, string>>>> = {
  read: { ...AS_IT_IS, GIT_OPTIONAL_LOCKS: "0" },
  write: NOT_REPLACED,
  keep: AS_IT_IS,
};

const MAX_OUTPUT = 256 * 1024 * 1024;

/**
 * Runs git to its end, whatever its exit code.
 *
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_BARE_REPOSITORY`, `ERR_UNREADABLE_REPOSITORY`,
 *   `ERR_FOREIGN_OWNER`, `ERR_GIT_MISSING`, or `ERR_GIT_FAILED` if git was killed or wrote more than
 *   256 MiB.
 */
export async function git(
  profile: Profile,
  workTree: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitResult> {
  const result = await startInPeace(profile, workTree, args, options);
  if (result.exitCode !== 128) return result;
  const problem = await noWorkTree(workTree, result.stderr, process.env, async (flags) => {
    const config: readonly ConfigPair[] = [["safe.bareRepository", "all"]];
    const asked = await start("read", workTree, ["rev-parse", ...flags], { ...options, config });
    return asked.stdout;
  });
  if (problem !== undefined) throw problem;
  return result;
}

/** Runs git in no repository: of settings only the user's count. @throws {GitError} `ERR_GIT_MISSING`, `ERR_GIT_FAILED` */
export function gitOutside(args: readonly string[], options: RunOptions = {}): Promise<GitResult> {
  return start("write", "/", args, { ...options, env: { ...options.env, GIT_DIR: "/dev/null" } });
}

/** What git says, before it does anything, of a work tree that another git is just making. */
const HALF_MADE = /^fatal: failed to read .*\/worktrees\/.*\/commondir: /mu;
/** What it says, once it has made the branch, where another git has removed the folder of all records with the only other one. */
const FOLDER_WENT =
  /^fatal: could not create (?:leading directories|directory) of .*: No such file or directory$/mu;
const [PATIENCE_MS, PAUSE_MS] = [2_000, 50];

/** Git looks at the records of all work trees: where another git is in the way, it is tried again. */
async function startInPeace(
  ...[profile, workTree, args, options]: Parameters<typeof start>
): Promise<GitResult> {
  const end = performance.now() + PATIENCE_MS;
  let words = args;
  for (;;) {
    const result = await start(profile, workTree, words, options);
    const { exitCode, stderr } = result;
    if (exitCode !== 128 || args[0] !== "worktree" || performance.now() > end) return result;
    if (FOLDER_WENT.test(stderr)) words = options.argsWithBranch ?? args;
    else if (!HALF_MADE.test(stderr)) return result;
    await sleep(PAUSE_MS);
  }
}

async function start(
  profile: Profile,
  workTree: string,
  args: readonly string[],
  options: RunOptions,
): Promise<GitResult> {
  const { signal, input, encoding = "utf8", config = [], env = {}, hooks = false } = options;
  signal?.throwIfAborted();
  const entry = await findEntry(workTree);
  signal?.throwIfAborted();
  const spec: ProcessSpec = {
    args: ["--no-pager", ...args],
    cwd: workTree,
    env: {
      ...scrubbed(process.env),
      ...(entry !== undefined && ceilingAbove(entry, process.env)),
      ...ENVIRONMENT[profile],
      ...configVariables([...userConfig(process.env), ...CONFIG[profile], ...config]),
      ...env,
    },
    input,
    signal,
    encoding,
    maxOutput: MAX_OUTPUT,
    onStdout: options.onStdout,
    // Where the whole output counts, no hook runs.
    leavesOthers: hooks,
    hasTerminal: options.hasTerminal,
  };
  const ended = await announced(args[0] ?? "", () => runProcess("git", spec));
  signal?.throwIfAborted();
  const { exitCode, stdout, stderr, problem } = ended;
  if (exitCode === undefined || problem !== undefined) {
    throw await neverEnded(workTree, args, problem);
  }
  return { exitCode, stdout, stderr };
}

async function findEntry(workTree: string): Promise<string | undefined> {
  try {
    return await nearestGitEntry(workTree, process.env);
  } catch (error) {
    const message = `${quoted(workTree)} could not be read: ${messageOf(error)}`;
    throw new GitError("ERR_GIT_FAILED", message, { cause: error });
  }
}

async function neverEnded(
  workTree: string,
  args: readonly string[],
  error: NodeJS.ErrnoException | undefined,
): Promise<GitError> {
  const options = { cause: error };
  if (!(await isDirectory(workTree))) {
    return new GitError("ERR_NOT_A_REPOSITORY", `${quoted(workTree)} is not a folder`, options);
  }
  if (error?.code === "ENOENT") {
    const message = "git was not found on the PATH: install git 2.38 or later";
    return new GitError("ERR_GIT_MISSING", message, options);
  }
  const why = tail(error?.message ?? "it did not end by itself");
  return new GitError("ERR_GIT_FAILED", `git ${args[0]} failed: ${why}`, options);
}

/** One that cannot be read may well be there. */
async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    (error: unknown) => !isGone(error),
  );
}

/** The error for an exit code that the caller has no meaning for. */
export function gitFailed(args: readonly string[], result: GitResult): GitError {
  const { exitCode, stderr } = result;
  const message = `git ${args[0]} failed with exit code ${exitCode}: ${tail(stderr)}`;
  return new GitError("ERR_GIT_FAILED", message);
}

/** Runs git and resolves to its stdout. @throws {GitError} `ERR_GIT_FAILED` unless it exits 0. */
export async function gitOutput(
  profile: Profile,
  workTree: string,
  args: readonly string[],
  options?: RunOptions,
): Promise<string> {
  const result = await git(profile, workTree, args, options);
  if (result.exitCode !== 0) throw gitFailed(args, result);
  return result.stdout;
}
