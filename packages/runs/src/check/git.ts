import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { currentGitSha, dirtyPaths } from "@quasar/git";
import { changedPaths } from "@quasar/git/history";
import { clearGitLocks, gitLocks, operationInProgress } from "@quasar/git/internal";
import { listRefs } from "@quasar/git/snapshots";
import { RunsError } from "../errors.ts";
import { FOLDER } from "../real-folder.ts";
import { isRunId } from "../run-id.ts";
import { packEndedRuns, unpackedRuns } from "../snapshots/pack.ts";
import { shellWord } from "../text/format.ts";
import { listed, waysOutOf } from "../work-tree.ts";
import { repositoryOf, type Workspace } from "../workspace.ts";
import type { Place, Problem } from "./problem.ts";

/** An operation that git is in the middle of: nothing runs in such a tree. */
export async function* lookAtGit({ workspace }: Place): AsyncGenerator<Problem, undefined> {
  const operation = await operationInProgress(workspace);
  if (operation === undefined) return;
  const message = `git is in the middle of a ${operation}`;
  yield { code: "GIT_OPERATION", message, next: waysOutOf(operation) };
}

/** Lock files of a git that was killed, or that a power cut ended. */
export function lookAtGitLocks({ workspace }: Place): readonly Problem[] {
  return gitLocks(repositoryOf(workspace)).map(({ path, asidePath, isDead }) => ({
    code: "GIT_LOCK",
    message: isDead
      ? `${path} was left by a git that is gone: git commands fail until it is away`
      : `${path}: a git may be at work`,
    fix: isDead ? { does: "quarantine it", run: () => clear(workspace, path) } : undefined,
    next: [
      {
        shell: `mv ${shellWord(path)} ${shellWord(`${asidePath}.old`)}`,
        note: "if no git works in this repository",
      },
    ],
  }));
}

async function clear(workspace: Workspace, path: string): Promise<void> {
  await clearGitLocks(repositoryOf(workspace));
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new RunsError("ERR_STATE", `${path}: a git is at work after all`);
}

/** Snapshots of runs that have ended, or are in no work tree of this repository. */
export async function* lookAtRefs(place: Place): AsyncGenerator<Problem, undefined> {
  yield* lookAtUnpacked(place);
  yield* lookAtLost(place);
}

/** A crash came before they were in the run's files, or these could not be written. */
async function* lookAtUnpacked({ workspace }: Place): AsyncGenerator<Problem, undefined> {
  const run = async (): Promise<void> => {
    const left: string[] = [];
    await packEndedRuns(workspace, { onProblem: (problem) => left.push(problem) });
    if (left.length > 0) throw new RunsError("ERR_STATE", left.join("; "));
  };
  const fix = { does: "move them into the files of the run", run };
  for (const id of await unpackedRuns(workspace)) {
    const message = `run ${id} has ended, and its snapshots are still refs of git`;
    yield {
      code: "SNAPSHOTS_UNPACKED",
      message,
      fix,
      next: [{ shell: `git for-each-ref refs/quasar/${id}` }],
    };
  }
}

/** Of runs and nebulae that are nowhere in this repository. */
async function* lookAtLost({ workspace }: Place): AsyncGenerator<Problem, undefined> {
  const refs = await listRefs(workspace.root, "refs/quasar/");
  const nebulae = childrenOf(nebulaeFolder(workspace));
  const known = new Set([...allRunIds(workspace), ...nebulae.map((id) => `nebula/${id}`)]);
  const names = refs.map(({ ref }) => ref).filter((ref) => !known.has(ownerOf(ref)));
  if (names.length === 0) return;
  const first = shellWord(names[0] ?? "");
  yield {
    code: "SNAPSHOTS_LEFT",
    message: `snapshots of runs that are gone: ${listed(names).join(", ")}`,
    next: [
      { shell: `git show --stat ${first}`, note: "see what one holds" },
      { shell: `git update-ref -d ${first}`, note: "remove it" },
    ],
  };
}

/** Whose a ref is: `refs/quasar/<run>/…`, `refs/quasar/nebula/<id>/…`. */
function ownerOf(ref: string): string {
  const [, , owner = "", id = ""] = ref.split("/");
  return owner === "nebula" ? `nebula/${id}` : owner;
}

/** Of all work trees, and of the phases of nebulae, which keep theirs: they have their refs in common. */
export function allRunIds(workspace: Workspace): readonly string[] {
  const { repositoryId: commonDir } = workspace;
  const trees = join(commonDir, "worktrees");
  const gitDirs = [commonDir, ...childrenOf(trees).map((name) => join(trees, name))];
  const nebulae = nebulaeFolder(workspace);
  const phases = childrenOf(nebulae)
    .map((id) => join(nebulae, id, "runs"))
    .flatMap((runs) => childrenOf(runs).map((ref) => join(runs, ref)));
  return [...gitDirs.map((dir) => join(dir, "quasar", "runs")), ...phases].flatMap((runs) =>
    childrenOf(runs).filter(isRunId),
  );
}

/** One for each nebula, by its id. */
function nebulaeFolder({ repositoryId: commonDir }: Workspace): string {
  return join(commonDir, "quasar", "nebulae");
}

function childrenOf(dir: string): readonly string[] {
  const stat = lstatSync(dir, { throwIfNoEntry: false });
  return stat?.isDirectory() === true ? readdirSync(dir) : [];
}

/** What a team shares. */
const COMMITTABLE: readonly string[] = [`${FOLDER}/config.toml`, `${FOLDER}/.gitignore`];

/** Our files in a commit, or about to be in one: a checkpoint there is an attacker's prompt. */
export async function* lookAtCommitted({
  workspace: { root },
}: Place): AsyncGenerator<Problem, undefined> {
  const [head, dirty] = await Promise.all([headPaths(root), dirtyPaths(root)]);
  const staged = dirty.filter(({ status }) => /^[AM]/u.test(status)).map(({ path }) => path);
  const ours = [...new Set([...head, ...staged])].filter(
    (path) => path.startsWith(`${FOLDER}/`) && !COMMITTABLE.includes(path),
  );
  if (ours.length === 0) return;
  const paths = [FOLDER, ...COMMITTABLE.map((path) => `':!${path}'`)].join(" ");
  yield {
    code: "COMMITTED",
    message: `committed or staged: ${listed(ours).join(", ")}`,
    next: [{ shell: `git rm -r --cached -- ${paths} && git commit` }],
  };
}

async function headPaths(root: string): Promise<readonly string[]> {
  const head = await currentGitSha(root).catch(() => "");
  return head === "" ? [] : changedPaths(root, "", head);
}
