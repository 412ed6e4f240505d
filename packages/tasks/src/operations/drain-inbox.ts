import { inspectRepository, type RepositoryFacts } from "@quasar/git";
import { type HookFile, type HookFileStore, isTerminal } from "@quasar/hookfile";
import { saveCheckpoint, wantsCheckpoint } from "@quasar/hookfile/checkpoints";
import { clearInbox, lookForCommits, readInbox } from "@quasar/hookfile/git-hook";
import { isSetUp } from "@quasar/hookfile/internal";
import { commitsOf, hasCommit } from "../commits-on-record.ts";
import { readTask } from "../task-store.ts";
import { type OperationPorts, openHookStore } from "./change-task.ts";

/**
 * Makes the checkpoints of the commits that git hooks have left notes of, also while somebody drives the
 * task: it needs the lock of the hook file only. Does nothing where there is no note.
 *
 * @throws {HookFileError} {GitError}; `ERR_LOCKED` where the hook file stays locked: the notes stay too.
 */
export async function drainInbox(
  taskDir: string,
  ports: OperationPorts,
  signal?: AbortSignal,
): Promise<void> {
  if (readInbox(taskDir).notes.length === 0) return;
  const store = openHookStore(taskDir, ports);
  const hook = store.read();
  if (hook === undefined || isTerminal(hook.state) || !isSetUp(hook)) return;
  const since = readTask(taskDir).metadata.baseSha;
  const facts = await inspectRepository(hook.worktreePath, { since, signal });
  await recordCommits(taskDir, store, facts, ports.now());
}

/**
 * Makes the checkpoints of the commits since the task's base that have none, and clears the inbox.
 *
 * @param facts - Of the task's work tree, since its base.
 * @throws {HookFileError} as the store's `update`.
 */
export async function recordCommits(
  taskDir: string,
  store: HookFileStore,
  facts: RepositoryFacts,
  now: Date,
): Promise<void> {
  const { config, metadata } = readTask(taskDir);
  const { baseSha: head, worktreeDir } = metadata;
  const inbox = readInbox(taskDir);
  const recorded = new Set(commitsOf([...store.checkpoints()]));
  const commits = await lookForCommits(worktreeDir, { head, recorded }, inbox.notes, {
    seen: facts,
  });
  if (commits.kind === "waiting") return;
  for (const { trigger, description, git } of commits.checkpoints) {
    if (!wantsCheckpoint(config.checkpoints, trigger)) continue;
    const when = (hook: HookFile): boolean => !isTerminal(hook.state) && !hasCommit(hook, git);
    saveCheckpoint(store, { trigger, description, git, now, when });
  }
  clearInbox(taskDir, { ...inbox, notes: commits.notes });
}
