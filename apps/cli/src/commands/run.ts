import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  createWorktree,
  currentBranch,
  currentGitSha,
  dirtyPaths,
  operationInProgress,
} from "@quasar/git";
import { runTask } from "@quasar/loop";
import { checkAgents } from "../agents.ts";
import { FOLDER, isRealFolder } from "../config/files.ts";
import { type FlagValues, type Layer, resolve } from "../config/layers.ts";
import { loadConfig } from "../config/load.ts";
import { CliError } from "../errors.ts";
import type { ExitCode } from "../exit-codes.ts";
import { endOrphans } from "../orphans.ts";
import { cleanLine } from "../output/clean.ts";
import type { Reporter } from "../output/reporter.ts";
import { codeOf } from "../read-input.ts";
import { newRunId } from "../run-id.ts";
import { runIds, summarize } from "../runs/list.ts";
import { runStores } from "../runs/store.ts";
import { isUnfinished, type RunSummary } from "../runs/summary.ts";
import { inSession, type Session } from "../session.ts";
import { readTask } from "../task.ts";
import { openUser } from "../user.ts";
import { work } from "../work.ts";
import { openWorkspace, type Workspace } from "../workspace.ts";

export interface RunOptions {
  readonly flags: FlagValues;
  readonly file?: string | undefined;
  readonly acceptDirty?: true | undefined;
  readonly worktree?: true | undefined;
  readonly new?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar run`: works on a task in the work tree that the current folder is in. */
export async function runCommand(
  argument: string | undefined,
  options: RunOptions,
): Promise<ExitCode> {
  const { file, flags } = options;
  const cwd = process.cwd();
  const task = await readTask({ argument, file, cwd, stdin: process.stdin });
  const origin = await openWorkspace(cwd);
  const user = openUser();
  const { root } = origin;
  const trust = options.trustConfig === true;
  const env = process.env;
  const layers = loadConfig({ flags, env, cwd, root, folders: user.folders, trust });
  const settings = resolve(layers);
  checkAgents(settings);

  const runId = newRunId(new Date());
  const workspace = options.worktree === true ? await linkedTree(origin, runId) : origin;
  return inSession(workspace, options.json === true, async (session) => {
    warn(session.reporter, layers);
    await endPast(session, options.new === true);
    ignoreOwnFolder(workspace.root);
    const untouchablePaths = await ready(session, options.acceptDirty === true);
    const sealKey = user.sealKey();
    const stores = runStores(workspace, runId, sealKey);
    return work(
      session,
      { runId, task, settings, stores, sealKey, spentUsd: 0, untouchablePaths },
      (loopOptions) => runTask({ title: task }, loopOptions),
    );
  });
}

/** A work tree of its own for a run, beside the one that the user is in. */
async function linkedTree({ root }: Workspace, runId: string): Promise<Workspace> {
  const path = join(dirname(root), `${basename(root)}-${runId}`);
  await createWorktree(root, { path, branch: `quasar/${runId}`, from: await currentGitSha(root) });
  return openWorkspace(path);
}

export function warn(reporter: Reporter, layers: readonly Layer[]): void {
  for (const message of layers.flatMap((layer) => layer.warnings)) {
    reporter.report({ type: "warning", cycle: 0, message });
  }
}

/** Sees to the runs that were here before. */
async function endPast(session: Session, isNew: boolean): Promise<void> {
  const { workspace, reporter } = session;
  const all = await summarize(workspace, runIds(workspace), { live: false });
  const unfinished = all.filter(isUnfinished);
  const open = unfinished.find(({ status }) => status === "interrupted");
  if (open !== undefined && !isNew) throw unfinishedRun(open);
  await endOrphans(
    unfinished.map(({ id }) => id),
    reporter,
  );
}

function unfinishedRun({ id, task }: RunSummary): CliError {
  const message = `run ${id} of this work tree was interrupted: ${cleanLine(task).slice(0, 100)}`;
  return new CliError("ERR_UNFINISHED_RUN", message, {
    next: ["quasar resume", 'quasar run --new "…"   (leaves the other one for later)'],
  });
}

/**
 * Whether the work tree is fit to be worked in.
 *
 * @returns The paths that the run must leave alone.
 */
async function ready(session: Session, acceptDirty: boolean): Promise<readonly string[]> {
  const { root, gitDir } = session.workspace;
  await currentGitSha(root); // a run needs a commit to start from
  const operation = await operationInProgress({ gitDir });
  if (operation !== undefined) {
    const message = `git is in the middle of a ${operation} in this work tree`;
    throw new CliError("ERR_DIRTY", message, {
      next: [`git ${operation} --continue, or --abort`, 'quasar run --worktree "…"'],
    });
  }
  if ((await currentBranch(root)) === undefined) {
    const message = "HEAD is on no branch, so its commits will be on none: git switch -c <name>";
    session.reporter.report({ type: "warning", cycle: 0, message });
  }
  const dirty = (await dirtyPaths(root)).map(({ path }) => path);
  if (dirty.length > 0 && !acceptDirty) throw dirtyTree(dirty);
  return dirty;
}

function dirtyTree(paths: readonly string[]): CliError {
  const shown = paths.slice(0, 5).map((path) => `\n  ${cleanLine(path)}`);
  const more = paths.length > 5 ? `\n  and ${paths.length - 5} more` : "";
  const message = `the work tree has changes that are not committed:${shown.join("")}${more}`;
  return new CliError("ERR_DIRTY", message, {
    next: [
      "git add -A && git commit -m …   (or git stash -u)",
      'quasar run --worktree "…"       (in a work tree of its own)',
      'quasar run --accept-dirty "…"   (those files are never committed)',
    ],
  });
}

/** Tells git to pass over `.quasar`, which belongs to this machine. */
function ignoreOwnFolder(root: string): void {
  const folder = join(root, FOLDER);
  if (!isRealFolder(folder)) mkdirSync(folder, { mode: 0o755 });
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
