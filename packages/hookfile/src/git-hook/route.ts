import { GitError, openRepository, type SignalOptions } from "@quasar/git";
import { readCommit } from "@quasar/git/history";
import { operationInProgress } from "@quasar/git/internal";
import { isActiveTask } from "./active-task.ts";
import { readRegistry } from "./registry.ts";
import { dropInInbox, type InboxOptions } from "../store/inbox.ts";
import { isInside, realOrIntended } from "../store/paths.ts";

export interface RouteOptions extends SignalOptions {
  /** The folder that all tasks are below; what a registry names elsewhere is no task. */
  readonly tasksRoot: string;
  /** @default whether its hook file says that it has not ended */
  readonly isActive?: ((taskDir: string) => boolean) | undefined;
}

/**
 * The folder of the active task that works in a work tree; `undefined` where there is none: another
 * work tree of the repository, or a person's. The newest, should there be several.
 *
 * @param root - The root of the work tree, without links; `commonDir` as `openRepository` gives it.
 */
export function taskOfWorkTree(
  { root, commonDir }: { readonly root: string; readonly commonDir: string },
  { tasksRoot, isActive = isActiveTask }: RouteOptions,
): string | undefined {
  const home = realOrIntended(tasksRoot);
  return readRegistry(commonDir).tasks.findLast(
    ({ worktree, taskDir }) =>
      worktree === root && isInside(home, realOrIntended(taskDir)) && isActive(taskDir),
  )?.taskDir;
}

export type NotedCommit =
  | { readonly kind: "noted"; readonly taskDir: string; readonly noteId: string }
  /** `rebase`: the commits are told of together, when it is over. */
  | { readonly kind: "nothing"; readonly reason: "no-repository" | "no-task" | "rebase" };

/**
 * What `atlas checkpoint --trigger git_commit --auto` does: leaves a note of HEAD's commit for the
 * task that the work tree belongs to.
 *
 * @param workTree - Any folder of the work tree; the environment's `GIT_DIR` does not count.
 * @throws {GitError}, {DurableError}: a git hook exits 0 all the same.
 */
export async function noteCommit(
  workTree: string,
  { signal, now, random, ...route }: RouteOptions & InboxOptions,
): Promise<NotedCommit> {
  const repository = await unlessNone(openRepository(workTree, { signal }));
  if (repository === undefined) return { kind: "nothing", reason: "no-repository" };
  const taskDir = taskOfWorkTree(repository, route);
  if (taskDir === undefined) return { kind: "nothing", reason: "no-task" };
  const operation = await operationInProgress(repository);
  if (operation === "rebase" || operation === "am") return { kind: "nothing", reason: "rebase" };
  const { sha, subject } = await readCommit(repository.root, "HEAD", { signal });
  const description = commitDescription(subject);
  const note = { trigger: "git_commit", description, commit: sha } as const;
  const noteId = dropInInbox(taskDir, note, { now, random });
  return noteId === undefined
    ? { kind: "nothing", reason: "no-task" }
    : { kind: "noted", taskDir, noteId };
}

/** What a commit's checkpoint is called, in the seed's words. */
export function commitDescription(subject: string): string {
  return `Commit: ${subject}`;
}

async function unlessNone<T>(looking: Promise<T>): Promise<T | undefined> {
  return looking.catch((error: unknown) => {
    if (error instanceof GitError && error.isNoWorkTree) return undefined;
    throw error;
  });
}
