import { type Commit, commitAll, GitError, type GitErrorCode, TRAILER } from "@quasar/git";
import { OWN_PATHS } from "@quasar/git/internal";
import { treeToCommit } from "@quasar/git/work-trees";
import { subjectGiven, subjectPrompt } from "@quasar/loop/internal";
import { workOnStep } from "../runs/work-on-step.ts";
import { outgoing } from "../outgoing.ts";
import { plainLine, shortSha } from "../plain.ts";
import { approvedLast, reviewAgain, reviewCommitAgain } from "./approved.ts";
import { commitsLine, lookAtBranch } from "./branch-work.ts";
import { commitValidated, lackOfValidation, validationBefore } from "./commit-validated.ts";
import { gitVariables } from "./git-variables.ts";
import { receiptsTrailer } from "./receipts-trailer.ts";
import type { RunningStep, StepExecutor, StepInput, StepOutcome } from "./step.ts";
import { taskSubject } from "./task-subject.ts";
import { within } from "./within.ts";

/** The user's git hooks run in it. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Commits what was approved, and was validated; where neither comes before it, what lies in the work tree. Once for
 * each attempt: the commit says whose it is by its trailers, which is how it is found again after a
 * crash.
 *
 * @see SPEC.md, "Git steps"
 */
export const commitStep: Required<StepExecutor> = {
  async look(input) {
    const { isDirty, commits, head, obstacle } = await lookAtBranch(input, input.signal);
    if (isDirty || obstacle !== undefined || commits === undefined) return undefined;
    if (!(await isDone(input, head))) return undefined;
    return { reason: "there is nothing to commit", evidence: commitsLine(commits) };
  },

  async run(input) {
    const outcome = await commitIn(input);
    if (outcome.kind !== "completed") return outcome;
    const { head } = await lookAtBranch(input, input.signal);
    return (await reviewCommitAgain(input, head, input.signal)) ?? outcome;
  },

  async probe(input) {
    const { commits, head } = await lookAtBranch(input, input.signal);
    if (commits === undefined) {
      const base = shortSha(input.task.metadata.baseSha);
      return { kind: "unknown", reason: `the commit ${base}, where the branch began, is lost` };
    }
    const made = commitOf(commits, input, input.step.attempts);
    // A git hook may have changed it: then the step is not done yet.
    if (made === undefined || !(await isDone(input, head))) return { kind: "missing" };
    const evidence = `commit ${shortSha(made.sha)} has the trailers of attempt ${input.step.attempts}`;
    return { kind: "found", evidence };
  },
};

/** Whether a commit is what was validated, and what was approved. */
async function isDone(input: StepInput, commit: string): Promise<boolean> {
  const { signal } = input;
  if ((await lackOfValidation(input, commit, signal)) !== undefined) return false;
  return (await reviewCommitAgain(input, commit, signal)) === undefined;
}

function commitIn(input: RunningStep): Promise<StepOutcome> {
  if (validationBefore(input) === undefined) {
    return within(input, TIMEOUT_MS, (signal) => commitEverything(input, signal));
  }
  return commitValidated(input, (work) => within(input, TIMEOUT_MS, work), {
    made: (commits) => commitOf(commits, input, input.attempt),
    commit: (tree, signal) => commit(input, signal, tree),
  });
}

async function commitEverything(input: RunningStep, signal: AbortSignal): Promise<StepOutcome> {
  const { commits, isDirty, obstacle } = await lookAtBranch(input, signal);
  const made = commitOf(commits, input, input.attempt);
  // Anybody can write trailers: what is uncommitted is committed, no matter who made that one.
  if (made !== undefined && !isDirty) return completed(made.sha, "it was made already");
  if (obstacle !== undefined) return { kind: "awaiting", awaiting: "git", reason: obstacle };
  const approved = approvedLast(input);
  if (approved === undefined) return commit(input, signal);
  const present = await treeToCommit(input.worktree, { signal });
  return (
    (await reviewAgain(input, approved, present, signal)) ?? commit(input, signal, approved.tree)
  );
}

/** How often an agent is asked for another subject. */
const MOST_SUBJECTS = 2;

/**
 * @param tree - Instead of all that is in the work tree.
 * @param refused - How many subjects a git hook has refused. What an agent gave in the place of one is kept
 *   with its run: after a crash nobody is asked again.
 */
async function commit(
  input: RunningStep,
  signal: AbortSignal,
  tree?: string,
  subject: string = taskSubject(input.task, outgoing(input.ports, input.worktree)),
  refused: number = 0,
): Promise<StepOutcome> {
  const { task, definition, attempt, ports, worktree } = input;
  try {
    const made = await commitAll(worktree, {
      subject,
      trailers: {
        [TRAILER.task]: task.id,
        [TRAILER.step]: definition.name,
        [TRAILER.attempt]: String(attempt),
        ...receiptsTrailer(input),
      },
      exclude: OWN_PATHS,
      env: gitVariables(ports.env),
      tree,
      signal,
    });
    if (made !== undefined) return completed(made.sha, subject);
    return { kind: "completed", summary: "there was nothing left to commit" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    // One that an attempt before had begun may be what was in the way.
    const { commits } = await lookAtBranch(input, signal);
    const made = commitOf(commits, input, attempt);
    if (made !== undefined) return completed(made.sha, "it was made already");
    if (error.refusal?.by === "commit-msg" && refused < MOST_SUBJECTS) {
      const output = ports.redact(error.refusal.output);
      const prompt = subjectPrompt({ subject, output });
      const suffix = `subject-${refused + 1}`;
      const asked = await workOnStep(input, { kind: "turn", access: "read", suffix, prompt });
      if (asked.kind !== "done") return asked;
      const given = subjectGiven(outgoing(ports, worktree)(asked.text)) ?? subject;
      return commit(input, signal, tree, given, refused + 1);
    }
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
