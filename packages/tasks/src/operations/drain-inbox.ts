import { inspectRepository } from "@quasar/git";
import {
  clearInbox,
  isSetUp,
  isTerminal,
  noticeCommits,
  readInbox,
  saveCheckpoint,
  wantsCheckpoint,
} from "@quasar/hookfile";
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
  const inbox = readInbox(taskDir);
  if (inbox.notes.length === 0) return;
  const store = openHookStore(taskDir, ports);
  const hook = store.read();
  if (hook === undefined || isTerminal(hook.state) || !isSetUp(hook)) return;
  const { config, metadata } = readTask(taskDir);
  const since = metadata.baseSha;
  const facts = await inspectRepository(hook.worktreePath, { since, signal });
  const recorded = new Set(commitsOf([...store.checkpoints()]));
  const commits = noticeCommits(facts, { head: since, recorded }, inbox.notes);
  if (commits.kind === "waiting") return;
  for (const { trigger, description, git } of commits.checkpoints) {
    if (!wantsCheckpoint(config.checkpoints, trigger)) continue;
    const when = (now: typeof hook): boolean => !isTerminal(now.state) && !hasCommit(now, git);
    saveCheckpoint(store, { trigger, description, git, now: ports.now(), when });
  }
  clearInbox(taskDir, { ...inbox, notes: commits.notes });
}
