import {
  OWN_FOLDER,
  type Commit,
  commitAll,
  GitError,
  type GitErrorCode,
  TRAILER,
} from "@quasar/git";
import { plainLine, shortSha } from "../plain.ts";
import { commitsLine, lookAtBranch } from "./branch-work.ts";
import { gitVariables } from "./git-variables.ts";
import { receiptsTrailer } from "./receipts-trailer.ts";
import type { RunningStep, StepExecutor, StepInput, StepOutcome } from "./step.ts";
import { taskSubject } from "./task-subject.ts";
import { within } from "./within.ts";

/** The user's git hooks run in it. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Commits what lies in the work tree, once for each attempt. The commit says whose it is by its trailers,
 * which is how it is found again after a crash.
 *
 * @see SPEC.md, "Git steps"
 */
export const commitStep: Required<StepExecutor> = {
  async look(input) {
    const { isDirty, commits, obstacle } = await lookAtBranch(input, input.signal);
    if (isDirty || obstacle !== undefined || commits === undefined) return undefined;
    return { reason: "there is nothing to commit", evidence: commitsLine(commits) };
  },

  run: (input) =>
    within(input, TIMEOUT_MS, async (signal) => {
      const { commits, isDirty, obstacle } = await lookAtBranch(input, signal);
      const made = commitOf(commits, input, input.attempt);
      // Anybody can write trailers: what is left is committed, whoever made that one.
      if (made !== undefined && !isDirty) return completed(made.sha, "it was made already");
      if (obstacle !== undefined) return { kind: "awaiting", awaiting: "git", reason: obstacle };
      return commit(input, signal);
    }),

  async probe(input) {
    const { commits } = await lookAtBranch(input, input.signal);
    if (commits === undefined) {
      const base = shortSha(input.task.metadata.baseSha);
      return { kind: "unknown", reason: `the commit ${base}, where the branch began, is lost` };
    }
    const made = commitOf(commits, input, input.step.attempts);
    if (made === undefined) return { kind: "missing" };
    const evidence = `commit ${shortSha(made.sha)} has the trailers of attempt ${input.step.attempts}`;
    return { kind: "found", evidence };
  },
};

async function commit(input: RunningStep, signal: AbortSignal): Promise<StepOutcome> {
  const { task, definition, attempt, ports, worktree } = input;
  try {
    const sha = await commitAll(worktree, {
      subject: taskSubject(task, ports.redact),
      trailers: {
        [TRAILER.task]: task.id,
        [TRAILER.step]: definition.name,
        [TRAILER.attempt]: String(attempt),
        ...receiptsTrailer(input),
      },
      exclude: [OWN_FOLDER],
      env: gitVariables(ports.env),
      signal,
    });
    if (sha !== undefined) return completed(sha, taskSubject(task, ports.redact));
    return { kind: "completed", summary: "there was nothing left to commit" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    // One that an attempt before had begun may be what was in the way.
    const { commits } = await lookAtBranch(input, signal);
    const made = commitOf(commits, input, attempt);
    if (made !== undefined) return completed(made.sha, "it was made already");
    const reason = ports.redact(error.message);
    const retryable = RETRYABLE.has(error.code);
    return { kind: "failed", awaiting: "git", reason, retryable };
  }
}

/** A hook that has put its files right, and a lock that is gone, let the next attempt pass. */
const RETRYABLE: ReadonlySet<GitErrorCode> = new Set(["ERR_COMMIT_FAILED", "ERR_GIT_FAILED"]);

function completed(sha: string, what: string): StepOutcome {
  return {
    kind: "completed",
    summary: `commit ${shortSha(sha)}: ${plainLine(what, 100)}`,
    metadata: { commit_sha: sha },
  };
}

/** The newest commit that an attempt at the step has made. */
function commitOf(
  commits: readonly Commit[] | undefined,
  { task, definition }: Pick<StepInput, "task" | "definition">,
  attempt: number,
): Commit | undefined {
  const wanted: readonly (readonly [name: string, value: string])[] = [
    [TRAILER.task, task.id],
    [TRAILER.step, definition.name],
    [TRAILER.attempt, String(attempt)],
  ];
  return commits?.findLast(({ trailers }) =>
    wanted.every(([name, value]) => trailers.get(name)?.includes(value) === true),
  );
}
