import type { HookFile, StepCheckpoint } from "@quasar/hookfile";
import {
  type CheckpointTrigger,
  type GitFacts,
  saveCheckpoint,
  wantsCheckpoint,
} from "@quasar/hookfile/checkpoints";
import { clearInbox, lookForCommits, readInbox } from "@quasar/hookfile/git-hook";
import type { RepositoryFacts } from "@quasar/git";
import { commitsOf, hasCommit } from "../commits-on-record.ts";
import type { Session } from "./session.ts";
import { noteTouched, touchedFiles } from "./touched-files.ts";

/**
 * Looks at what has happened in the work tree: a checkpoint for each commit and each push that has none,
 * and the files that the current step has touched. The checkpoints alone say what is known already, so it
 * does not matter which look a crash has kept from being finished.
 *
 * @param known - All checkpoints of the task.
 * @returns What it has seen.
 */
export async function lookAround(
  session: Session,
  known: readonly StepCheckpoint[],
  signal?: AbortSignal,
): Promise<RepositoryFacts> {
  const { parts, taskDir } = session;
  const worktree = session.hook().worktreePath;
  const { baseSha } = session.task().metadata;
  const inbox = readInbox(taskDir);
  const facts = await parts.workTreeReader.inspect(worktree, baseSha, { signal });
  const recorded = new Set(commitsOf(known));
  const commits = await lookForCommits(worktree, { head: baseSha, recorded }, inbox.notes, {
    seen: facts,
  });
  const own = new Set(facts.commits.map(({ sha }) => sha));
  const pushes = await parts.workTreeReader.pushes(
    worktree,
    facts.branch,
    { own, told: toldPushes(known) },
    { signal },
  );
  const touched = await touchedFiles(session.hook(), facts, parts.workTreeReader, signal);

  noteTouched(session.store, session.hook(), touched);
  if (commits.kind === "noticed") {
    for (const { trigger, description, git } of commits.checkpoints) {
      checkpoint(session, trigger, description, git);
    }
    clearInbox(taskDir, { ...inbox, notes: commits.notes });
  }
  for (const { trigger, description, commit } of pushes.pushes) {
    const { branch = "", dirty } = facts;
    checkpoint(session, trigger, description, { branch, commit, dirty: dirty.length > 0 });
  }
  return facts;
}

/** Makes a step checkpoint, if the task's configuration wants one for this trigger. */
export function checkpoint(
  { store, task, ports }: Session,
  trigger: CheckpointTrigger,
  description: string,
  git: GitFacts,
): void {
  if (!wantsCheckpoint(task().config.checkpoints, trigger)) return;
  const when = (hook: HookFile): boolean => trigger !== "git_commit" || !hasCommit(hook, git);
  saveCheckpoint(store, { trigger, description, git, now: ports.now(), when });
}

interface Push {
  readonly ref: string;
  readonly commit: string;
}

/** How every checkpoint of a push begins, the engine's own too; the branch there follows. */
const PUSH = "Push: ";

function toldPushes(checkpoints: readonly StepCheckpoint[]): readonly Push[] {
  return checkpoints.flatMap(({ trigger, description, gitCommit }) => {
    if (trigger !== "git_push" || gitCommit === undefined) return [];
    const ref = `refs/remotes/${description.slice(PUSH.length)}`;
    return [{ ref, commit: gitCommit }];
  });
}
