import { GitError, type GitErrorCode } from "@quasar/git";
import { isAncestor } from "@quasar/git/history";
import { pushBranch, pushTarget, remoteHead } from "@quasar/git/remotes";
import { plainLine, shellWord, shortSha } from "../plain.ts";
import { commitsLine, lookAtBranch } from "./branch-work.ts";
import { gitVariables } from "./git-variables.ts";
import { askBeforePublishing } from "./publishing.ts";
import type { RunningStep, StepExecutor, StepInput, StepOutcome } from "./step.ts";
import { within } from "./within.ts";

const TIMEOUT_MS = 10 * 60_000;
/** Of asking a remote what it has. */
const PROBE_MS = 20_000;

/**
 * Brings the task's branch on the remote to the work tree's HEAD, never by force. To do it twice is to
 * do it once.
 *
 * @see SPEC.md, "Git steps"
 */
export const pushStep: Required<StepExecutor> = {
  async look(input) {
    const { remote, remotes } = await targetOf(input, input.signal);
    if (remote === undefined && remotes.length === 0) {
      return { reason: "there is nowhere to push to", evidence: "the repository has no remote" };
    }
    const { commits, obstacle } = await lookAtBranch(input, input.signal);
    if (obstacle !== undefined || commits === undefined || commits.length > 0) return undefined;
    return { reason: "there is nothing to push", evidence: commitsLine(commits) };
  },

  run: (input) =>
    within(input, TIMEOUT_MS, async (signal) => {
      const { branch } = input.task.metadata;
      const { head, obstacle } = await lookAtBranch(input, signal);
      if (obstacle !== undefined) return awaiting(obstacle);
      if (branch === "") return awaiting("HEAD is on no branch: push it by hand, then atlas skip");
      const { remote, remotes } = await targetOf(input, signal);
      if (remote === undefined) return awaiting(noRemote(remotes));
      const asked = await askBeforePublishing(input, head, signal);
      return asked ?? push(input, { remote, branch, sha: head, signal });
    }),

  async probe(input) {
    const signal = AbortSignal.any([input.signal, AbortSignal.timeout(PROBE_MS)]);
    const { branch } = input.task.metadata;
    try {
      const { head, obstacle } = await lookAtBranch(input, signal);
      const { remote } = await targetOf(input, signal);
      if (obstacle !== undefined) return { kind: "unknown", reason: obstacle };
      if (remote === undefined || branch === "") return { kind: "missing" };
      const there = await isThere(input, { remote, branch, sha: head, signal });
      if (!there) return { kind: "missing" };
      const place = `${plainLine(remote, 100)}/${plainLine(branch, 100)}`;
      return { kind: "found", evidence: `${place} has commit ${shortSha(head)}` };
    } catch (error) {
      input.signal.throwIfAborted();
      if (error instanceof GitError) return { kind: "unknown", reason: plainLine(error.message) };
      if (!signal.aborted) throw error;
      return { kind: "unknown", reason: "the remote did not answer" };
    }
  },
};

interface Push {
  readonly remote: string;
  readonly branch: string;
  readonly sha: string;
  readonly signal: AbortSignal;
}

async function push(input: RunningStep, target: Push): Promise<StepOutcome> {
  const { ports, worktree } = input;
  const env = gitVariables(ports.env);
  try {
    const came = await pushBranch(worktree, { ...target, env });
    return pushed(target, came === "up-to-date" ? "was there already" : "pushed");
  } catch (error) {
    target.signal.throwIfAborted();
    if (!(error instanceof GitError)) throw error;
    // Git can fail after the remote has taken it, and another push can have been on its way.
    const there = await isThere(input, target).catch(() => false);
    target.signal.throwIfAborted();
    if (there) return pushed(target, "is there");
    const message = ports.redact(error.message);
    const advice = ADVICE[error.code];
    if (advice !== undefined) return awaiting(`${message}\n${advice(target)}`);
    const retryable = error.code !== "ERR_PUSH_REFUSED";
    return { kind: "failed", awaiting: "git", reason: message, retryable };
  }
}

/** What another attempt does not help against. */
const ADVICE: { readonly [Code in GitErrorCode]?: (target: Push) => string } = {
  ERR_REMOTE_AUTH: (target) => `log in, then atlas retry, or push it yourself: ${command(target)}`,
  ERR_NOT_FAST_FORWARD: ({ remote, branch }) =>
    `take it in: git pull --rebase ${shellWord(remote)} ${shellWord(branch)}, then atlas retry`,
  ERR_INVALID_ARGUMENT: () => "put the name right in git's configuration, then atlas retry",
};

function command({ remote, branch }: Push): string {
  return `git push ${shellWord(remote)} ${shellWord(`HEAD:refs/heads/${branch}`)}`;
}

/** Whether the remote's branch has the commit: is at it, or has continued from it. */
async function isThere({ worktree, ports }: StepInput, target: Push): Promise<boolean> {
  const { remote, branch, sha, signal } = target;
  const env = gitVariables(ports.env);
  const there = await remoteHead(worktree, remote, branch, { signal, env });
  if (there === undefined || there === sha) return there === sha;
  return (await isAncestor(worktree, sha, there, { signal })) === true;
}

function pushed({ remote, branch, sha }: Push, what: string): StepOutcome {
  const place = `${plainLine(remote, 100)}/${plainLine(branch, 100)}`;
  return {
    kind: "completed",
    summary: `${what}: ${shortSha(sha)} on ${place}`,
    checkpoint: { trigger: "git_push", description: `Push: ${place}` },
    // With these, nobody takes the push for one that is not on record.
    metadata: { pushed_commit_sha: sha, pushed_ref: `refs/remotes/${remote}/${branch}` },
  };
}

function awaiting(reason: string): StepOutcome {
  return { kind: "awaiting", awaiting: "git", reason };
}

function noRemote(remotes: readonly string[]): string {
  const [first = "origin"] = remotes;
  const names = remotes.map((name) => plainLine(name, 60)).join(", ");
  const choose = `git config remote.pushDefault ${shellWord(first)}`;
  return `which remote is meant is not known (there are: ${names}): ${choose}, then atlas retry`;
}

async function targetOf(
  { worktree, task }: StepInput,
  signal: AbortSignal,
): ReturnType<typeof pushTarget> {
  const { branch } = task.metadata;
  return pushTarget(worktree, branch === "" ? undefined : branch, { signal });
}
