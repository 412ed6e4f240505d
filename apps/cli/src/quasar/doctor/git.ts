import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  changedPaths,
  clearGitLocks,
  currentGitSha,
  dirtyPaths,
  gitLocks,
  listRefs,
  operationInProgress,
} from "@quasar/git";
import {
  isRunId,
  listed,
  packEndedRuns,
  repositoryOf,
  unpackedRuns,
  type Workspace,
  FOLDER,
} from "@quasar/runs";
import { shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import type { Ground, Problem } from "./problem.ts";

/** An operation that git is in the middle of: nothing runs in such a tree. */
export async function lookAtGit({ workspace }: Ground): Promise<readonly Problem[]> {
  const operation = await operationInProgress(workspace);
  if (operation === undefined) return [];
  const next = [
    operation === "bisect" ? "git bisect reset" : `git ${operation} --continue, or --abort`,
  ];
  return [{ message: `git is in the middle of a ${operation}`, next }];
}

/** Lock files of a git that was killed, or that a power cut ended. */
export function lookAtGitLocks({ workspace }: Ground): readonly Problem[] {
  return gitLocks(repositoryOf(workspace)).map(({ path, asidePath, isDead }) => ({
    message: isDead
      ? `${path} was left by a git that is gone: git commands fail until it is away`
      : `${path}: a git may be at work`,
    fix: isDead ? { does: "set it aside", run: () => clear(workspace, path) } : undefined,
    next: [
      `mv ${shellWord(path)} ${shellWord(`${asidePath}.old`)}   (if no git works in this repository)`,
    ],
  }));
}

async function clear(workspace: Workspace, path: string): Promise<void> {
  await clearGitLocks(repositoryOf(workspace));
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new CliError("ERR_STATE", `${path}: a git is at work after all`);
}

/** Snapshots of runs that have ended, or are in no work tree of this repository. */
export async function lookAtRefs(ground: Ground): Promise<readonly Problem[]> {
  return [...(await lookAtUnpacked(ground)), ...(await lookAtLost(ground))];
}

/** A crash came before they were in the run's files, or these could not be written. */
async function lookAtUnpacked({ workspace }: Ground): Promise<readonly Problem[]> {
  const runs = await unpackedRuns(workspace);
  const run = async (): Promise<void> => {
    const left: string[] = [];
    await packEndedRuns(workspace, { onProblem: (problem) => left.push(problem) });
    if (left.length > 0) throw new CliError("ERR_STATE", left.join("; "));
  };
  const fix = { does: "move them into the files of the run", run };
  return runs.map((id) => ({
    message: `run ${id} has ended, and its snapshots are still refs of git`,
    fix,
    next: [`git for-each-ref refs/quasar/${id}`],
  }));
}

async function lookAtLost({ workspace }: Ground): Promise<readonly Problem[]> {
  const refs = await listRefs(workspace.root, "refs/quasar/");
  const known = new Set(allRunIds(workspace));
  const lost = refs.filter(({ ref }) => !known.has(ref.split("/")[2] ?? ""));
  if (lost.length === 0) return [];
  const names = lost.map(({ ref }) => ref);
  const first = shellWord(names[0] ?? "");
  return [
    {
      message: `snapshots of runs that are gone: ${listed(names).join(", ")}`,
      next: [
        `git show --stat ${first}   (see what one holds)`,
        `git update-ref -d ${first}   (remove it)`,
      ],
    },
  ];
}

/** Of all work trees: they have their refs in common. */
export function allRunIds({ repositoryId: commonDir }: Workspace): readonly string[] {
  const trees = join(commonDir, "worktrees");
  const gitDirs = [commonDir, ...childrenOf(trees).map((name) => join(trees, name))];
  return gitDirs.flatMap((dir) => childrenOf(join(dir, "quasar", "runs")).filter(isRunId));
}

function childrenOf(dir: string): readonly string[] {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  return stat?.isDirectory() === true ? readdirSync(dir) : [];
}

/** What a team shares. */
const COMMITTABLE: readonly string[] = [`${FOLDER}/config.toml`, `${FOLDER}/.gitignore`];

/** Our files in a commit, or about to be in one: a checkpoint there is an attacker's prompt. */
export async function lookAtCommitted({ workspace }: Ground): Promise<readonly Problem[]> {
  const [head, dirty] = await Promise.all([headPaths(workspace.root), dirtyPaths(workspace.root)]);
  const staged = dirty.filter(({ status }) => /^[AM]/u.test(status)).map(({ path }) => path);
  const ours = [...new Set([...head, ...staged])].filter(
    (path) => path.startsWith(`${FOLDER}/`) && !COMMITTABLE.includes(path),
  );
  if (ours.length === 0) return [];
  return [
    {
      message: `committed or staged: ${listed(ours).join(", ")}`,
      next: [
        `git rm -r --cached -- ${[FOLDER, ...COMMITTABLE.map((path) => `':!${path}'`)].join(" ")} && git commit`,
      ],
    },
  ];
}

async function headPaths(root: string): Promise<readonly string[]> {
  const head = await currentGitSha(root).catch(() => "");
  return head === "" ? [] : changedPaths(root, "", head);
}
