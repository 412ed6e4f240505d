import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createOnce } from "@quasar/durable";
import {
  createWorktree,
  currentGitSha,
  dirtyPaths,
  type Operation,
  operationInProgress,
} from "@quasar/git";
import { FOLDER, isRealFolder } from "./config/files.ts";
import { CliError } from "./errors.ts";
import { cleanLine } from "./output/clean.ts";
import type { Reporter } from "./output/reporter.ts";
import { branchOf, openWorkspace, type Workspace } from "./workspace.ts";

/**
 * A work tree of its own for a run, beside the one that the user is in.
 *
 * @param from - The commit that its branch starts at. @default HEAD
 */
export async function linkedTree(
  { root }: Workspace,
  runId: string,
  from?: string,
): Promise<Workspace> {
  const path = join(dirname(root), `${basename(root)}-${runId}`);
  const start = from ?? (await currentGitSha(root));
  await createWorktree(root, { path, branch: `quasar/${runId}`, from: start });
  return openWorkspace(path);
}

/** What a new run has to know of the tree that it starts on. */
export interface Ground {
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  /** What the user had not committed: the run leaves it alone. */
  readonly untouchablePaths: readonly string[];
}

/**
 * Makes sure that a work tree is fit to be worked in.
 *
 * @throws {CliError} `ERR_DIRTY`, `ERR_UNSAFE_PATH`
 * @throws {GitError} `ERR_NO_COMMITS`: a run needs a commit to start from.
 */
export async function inspectTree(
  workspace: Workspace,
  acceptDirty: boolean,
  reporter: Reporter,
): Promise<Ground> {
  const { root, gitDir } = workspace;
  ignoreOwnFolder(root);
  await currentGitSha(root);
  const operation = await operationInProgress({ gitDir });
  if (operation !== undefined) throw busyTree(operation);
  const branch = await branchOf(workspace);
  if (branch === undefined) {
    const message = "HEAD is on no branch, so its commits will be on none: git switch -c <name>";
    reporter.report({ type: "warning", cycle: 0, message });
  }
  const dirty = await uncommitted(workspace);
  if (dirty.length > 0 && !acceptDirty) throw dirtyTree(dirty, RUN_STEPS);
  return { branch, untouchablePaths: dirty };
}

/** What a commit of the whole work tree would hold: paths from its root. */
export async function uncommitted({ root }: Workspace): Promise<readonly string[]> {
  const dirty = await dirtyPaths(root);
  return dirty.map(({ path }) => path).filter((path) => !path.startsWith(`${FOLDER}/`)); // never committed
}

function busyTree(operation: Operation): CliError {
  return new CliError("ERR_DIRTY", `git is in the middle of a ${operation} in this work tree`, {
    next: [wayOutOf(operation), 'quasar run --worktree "…"'],
  });
}

function wayOutOf(operation: Operation): string {
  return operation === "bisect" ? "git bisect reset" : `git ${operation} --continue, or --abort`;
}

const RUN_STEPS = [
  "git add -A && git commit -m … (or git stash -u)",
  'quasar run --worktree "…" (in a work tree of its own)',
  'quasar run --accept-dirty "…" (those files are never committed by quasar)',
];

/** The refusal of a tree that holds what the user has not committed. */
export function dirtyTree(paths: readonly string[], next: readonly string[]): CliError {
  const shown = listed(paths).map((path) => `\n  ${path}`);
  const message = `the work tree has changes that are not committed:${shown.join("")}`;
  return new CliError("ERR_DIRTY", message, { next });
}

const MOST_LISTED = 5;

/** The first of the paths, fit to be shown, and how many more there are. */
export function listed(paths: readonly string[]): readonly string[] {
  const more = paths.length - MOST_LISTED;
  const shown = paths.slice(0, MOST_LISTED).map(cleanLine);
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

/** Tells git to pass over `.quasar`, which belongs to this machine. */
export function ignoreOwnFolder(root: string): void {
  const folder = join(root, FOLDER);
  if (!isRealFolder(folder)) mkdirSync(folder, { mode: 0o755 });
  const file = join(folder, ".gitignore");
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size > 0) return;
  // What is empty after another program's crash, or a link, has git ignore nothing.
  if (stat?.isDirectory() === false) rmSync(file, { force: true });
  createOnce(file, Buffer.from("*\n"), 0o644);
}
