import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createOnce } from "@quasar/durable";
import { currentGitSha, dirtyPaths } from "@quasar/git";
import {
  deleteBranch,
  isOwnPath,
  operationInProgress,
  readCommitState,
  type SeenWork,
} from "@quasar/git/internal";
import { createWorktree, listWorktrees, removeWorktree } from "@quasar/git/work-trees";
import { FOLDER, isRealFolder } from "./real-folder.ts";
import { messageOf, RunsError } from "./errors.ts";
import type { NextStep } from "./next-step.ts";
import { cleanLine } from "./text/clean.ts";
import { shellWord } from "./text/format.ts";
import type { Tell } from "./events.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export interface LinkedTreeOptions {
  readonly runId: string;
  /** The commit that its branch starts at. @default HEAD */
  readonly from?: string | undefined;
}

/**
 * Makes a work tree of its own for a run, beside the one that the user is in, and has something done
 * there. Should that fail before `keep` is called, the work tree goes again, and its branch: no run has
 * begun in it.
 */
export async function inLinkedTree<T>(
  { root }: Workspace,
  { runId, from }: LinkedTreeOptions,
  use: (tree: Workspace, keep: () => void) => Promise<T>,
): Promise<T> {
  const path = join(dirname(root), `${basename(root)}-${runId}`);
  const branch = ownBranch(runId);
  let isKept = false;
  try {
    const start = from ?? (await currentGitSha(root));
    await createWorktree(root, { path, branch, from: start });
    return await use(await openWorkspace(path), () => {
      isKept = true;
    });
  } catch (error) {
    if (isKept) throw error;
    throw await discarded(root, { path, branch }, error);
  }
}

/** The branch of a run that works in a tree of its own. */
export function ownBranch(runId: string): string {
  return `quasar/${runId}`;
}

/** Takes a work tree away in which no run has begun; the error, with what to do where that fails. */
async function discarded(
  root: string,
  { path, branch }: { readonly path: string; readonly branch: string },
  error: unknown,
): Promise<unknown> {
  try {
    const made = (await listWorktrees(root)).some((tree) => tree.path === path);
    if (made) await removeWorktree(root, path);
    await deleteBranch(root, branch);
    return error;
  } catch {
    const away = {
      shell: `git worktree remove --force ${shellWord(path)} && git branch -D ${branch}`,
    };
    const known = error instanceof RunsError ? error : undefined;
    const next = [...(known?.next ?? []), away];
    return new RunsError(known?.code ?? "ERR_STATE", messageOf(error), { cause: error, next });
  }
}

/** What a new run has to know of the tree that it starts on. */
export interface TreeFacts {
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  /** The commit that HEAD is at. */
  readonly baseCommit: string;
  /** What the user had not committed: the run leaves it alone. */
  readonly untouchablePaths: readonly string[];
  readonly seen: SeenWork;
}

interface InspectOptions {
  readonly acceptDirty: boolean;
  /** As a run's own option has it. @default false */
  readonly ownsTree?: boolean | undefined;
}

/**
 * Makes sure that a work tree is fit to be worked in.
 *
 * @throws {RunsError} `ERR_DIRTY`, `ERR_UNSAFE_PATH`
 * @throws {GitError} `ERR_NO_COMMITS`: a run needs a commit to start from.
 */
export async function inspectTree(
  workspace: Workspace,
  { acceptDirty, ownsTree = false }: InspectOptions,
  tell: Tell,
): Promise<TreeFacts> {
  const { root, gitDir } = workspace;
  ignoreOwnFolder(root);
  const seen = await lookAt(root);
  const operation = await operationInProgress({ gitDir });
  if (operation !== undefined) throw busyTree(operation);
  const { head: baseCommit, branch } = seen;
  if (branch === undefined && !ownsTree) {
    const message = "HEAD is on no branch; keep the commits with: git switch -c my-work";
    tell({ type: "warning", cycle: 0, message });
  }
  const dirty = committable(seen);
  if (dirty.length > 0 && !acceptDirty) throw dirtyTree(dirty, RUN_STEPS);
  return { branch, baseCommit, untouchablePaths: dirty, seen };
}

/** @throws {GitError} what is the matter with HEAD, where that is why git cannot read it, or has no commit */
async function lookAt(root: string): Promise<SeenWork> {
  const [seen] = await Promise.allSettled([readCommitState(root)]);
  if (seen.status === "fulfilled" && seen.value.head !== "") return seen.value;
  await currentGitSha(root);
  if (seen.status === "rejected") throw seen.reason;
  return lookAt(root); // a first commit was made meanwhile
}

/** What a commit of the whole work tree would hold: paths from its root. */
export async function uncommitted({ root }: Workspace): Promise<readonly string[]> {
  return committable({ dirty: await dirtyPaths(root) });
}

function committable({ dirty }: Pick<SeenWork, "dirty">): readonly string[] {
  return dirty.map(({ path }) => path).filter((path) => path === FOLDER || !isOwnPath(path));
}

type Operation = NonNullable<Awaited<ReturnType<typeof operationInProgress>>>;

function busyTree(operation: Operation): RunsError {
  return new RunsError("ERR_DIRTY", `git is in the middle of a ${operation} in this work tree`, {
    next: [...waysOutOf(operation), { do: "start", options: { inWorktree: true } }],
  });
}

/** How a person ends it. */
export function waysOutOf(operation: Operation): readonly NextStep[] {
  return operation === "bisect"
    ? [{ shell: "git bisect reset" }]
    : [
        { shell: `git ${operation} --abort` },
        { shell: `git ${operation} --continue`, note: "instead" },
      ];
}

const RUN_STEPS: readonly NextStep[] = [
  { shell: "git add -A && git commit -m …", note: "or git stash -u" },
  { do: "start", options: { inWorktree: true }, note: "in a work tree of its own" },
  { do: "start", options: { acceptDirty: true }, note: "quasar never commits your changes" },
];

/** The refusal of a tree that holds what the user has not committed. */
export function dirtyTree(paths: readonly string[], next: readonly NextStep[]): RunsError {
  const shown = listed(paths).map((path) => `\n  ${path}`);
  const message = `the work tree has changes that are not committed:${shown.join("")}`;
  return new RunsError("ERR_DIRTY", message, { next });
}

const MOST_LISTED = 5;

/** The first of the paths, fit to be shown, and how many more there are. */
export function listed(paths: readonly string[]): readonly string[] {
  const more = paths.length - MOST_LISTED;
  const shown = paths.slice(0, MOST_LISTED).map(cleanLine);
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

/** What git passes over in `.quasar`: all but the settings, which a team may share. */
const IGNORED = "*\n!config.toml\n";

/** Tells git to pass over `.quasar`, which belongs to this machine. */
export function ignoreOwnFolder(root: string): void {
  const folder = join(root, FOLDER);
  if (!isRealFolder(folder)) mkdirSync(folder, { mode: 0o755 });
  const file = join(folder, ".gitignore");
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size > 0) return;
  // What is empty after another program's crash, or a link, has git ignore nothing.
  if (stat?.isDirectory() === false) rmSync(file, { force: true });
  createOnce(file, Buffer.from(IGNORED), 0o644);
}
