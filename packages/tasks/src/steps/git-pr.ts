import { join } from "node:path";
import { replaceFile } from "@quasar/durable";
import type { Redactor } from "@quasar/agents/environment";
import { GitError } from "@quasar/git";
import { redactFacts, type RunFacts } from "@quasar/runs/facts";
import type { GhFailure } from "../github/gh.ts";
import type { Github, NewPullRequest, PullRequest } from "../github/pull-requests.ts";
import { repositoryName } from "../github/repository.ts";
import { outgoing } from "../outgoing.ts";
import { plainLine, shellWord, shortSha } from "../plain.ts";
import { stepFacts } from "../runs/step-facts.ts";
import { commitsLine, lookAtBranch } from "./branch-work.ts";
import { askBeforePublishing } from "./publishing.ts";
import { findPullRequest, forgeOf } from "./pull-request.ts";
import { pullRequestBody } from "./pull-request-text.ts";
import { receiptsTrailer } from "./receipts-trailer.ts";
import type { RunningStep, StepExecutor, StepOutcome } from "./step.ts";
import { taskSubject } from "./task-subject.ts";
import { within } from "./within.ts";

const TIMEOUT_MS = 5 * 60_000;
/** Of asking GitHub what it has. */
const PROBE_MS = 20_000;

/**
 * Opens a pull request for the task's branch, or takes the one that is there, whoever made it.
 *
 * @see SPEC.md, "Git steps"
 */
export const pullRequestStep: Required<StepExecutor> = {
  async look(input) {
    const { branch, baseBranch } = input.task.metadata;
    const forge = await forgeOf(input, input.signal);
    if (forge.kind === "no-remote") {
      const evidence = "the repository has no remote";
      return { reason: "there is nowhere to open a pull request", evidence };
    }
    const { commits, obstacle } = await lookAtBranch(input, input.signal);
    if (obstacle === undefined && branch !== "" && branch === baseBranch) {
      const evidence = `the task works on ${plainLine(branch, 100)}`;
      return { reason: "a branch has no pull request into itself", evidence };
    }
    if (obstacle !== undefined || commits === undefined || commits.length > 0) return undefined;
    return { reason: "there is nothing to ask for", evidence: commitsLine(commits) };
  },

  run: (input) =>
    within(input, TIMEOUT_MS, async (signal) => {
      const { branch, baseBranch: base } = input.task.metadata;
      const { head, obstacle } = await lookAtBranch(input, signal);
      if (obstacle !== undefined) return awaiting(obstacle);
      if (branch === "") return awaiting("HEAD is on no branch: atlas skip --reason …");
      const asked = await askBeforePublishing(input, head, signal);
      if (asked !== undefined) return asked;
      const forge = await forgeOf(input, signal);
      if (forge.kind !== "github") return awaiting(elsewhere(branch, base));
      const { github } = forge;
      const found = await findPullRequest(github, branch, head);
      if (found.kind === "ok" && found.value !== undefined) return opened(found.value, "is there");
      const { task, hook, ports, worktree } = input;
      const redact = outgoing(ports, worktree);
      const title = taskSubject(task, redact);
      const runs = await factsOfSteps(input, redact);
      const body = pullRequestBody(task, hook, redact, runs, receiptsTrailer(input));
      const wanted = { branch, base, title, body };
      if (found.kind !== "ok") return notMade(input, github, wanted, found);
      return create(input, github, wanted, head);
    }),

  async probe(input) {
    const signal = AbortSignal.any([input.signal, AbortSignal.timeout(PROBE_MS)]);
    const { branch } = input.task.metadata;
    try {
      const { head, obstacle } = await lookAtBranch(input, signal);
      if (obstacle !== undefined) return { kind: "unknown", reason: obstacle };
      const forge = await forgeOf(input, signal);
      if (forge.kind !== "github" || branch === "") return { kind: "missing" };
      const found = await findPullRequest(forge.github, branch, head);
      if (found.kind !== "ok") return { kind: "unknown", reason: plainLine(found.message) };
      if (found.value === undefined) return { kind: "missing" };
      return { kind: "found", evidence: `${found.value.url} (${found.value.state.toLowerCase()})` };
    } catch (error) {
      input.signal.throwIfAborted();
      if (error instanceof GitError) return { kind: "unknown", reason: plainLine(error.message) };
      if (!signal.aborted) throw error;
      return { kind: "unknown", reason: "GitHub did not answer" };
    }
  },
};

/** What agents did in the steps, without secrets. */
async function factsOfSteps(
  { task, taskDir, hook }: RunningStep,
  redact: Redactor,
): Promise<ReadonlyMap<string, RunFacts>> {
  const runs = await stepFacts({ taskDir, taskId: task.id }, hook);
  return new Map([...runs].map(([step, facts]) => [step, redactFacts(facts, redact)]));
}

async function create(
  input: RunningStep,
  github: Github,
  wanted: NewPullRequest,
  head: string,
): Promise<StepOutcome> {
  const made = await github.create(wanted);
  // GitHub has at most one open for a branch and its base, and says so to whoever comes second: what
  // is there counts, whatever `gh` says.
  const found = await findPullRequest(github, wanted.branch, head);
  if (found.kind === "ok" && found.value !== undefined) return opened(found.value, "opened");
  if (made.kind !== "ok") return notMade(input, github, wanted, made);
  if (made.value === undefined) {
    const reason = "gh made a pull request and did not say which: look, then atlas retry";
    return { kind: "failed", awaiting: "git", reason, retryable: false };
  }
  const { host, owner, name } = github.repository;
  const url = `https://${host}/${owner}/${name}/pull/${made.value}`;
  return opened({ number: made.value, url, head }, "opened");
}

function opened(
  { number, url, head }: Pick<PullRequest, "number" | "url" | "head">,
  what: string,
): StepOutcome {
  return {
    kind: "completed",
    summary: `pull request ${what}: ${url} at ${shortSha(head)}`,
    checkpoint: { trigger: "pr_created", description: `Pull request: ${url}` },
    metadata: { pr_number: number, pr_url: url },
  };
}

/** Without the network it is tried again; what else is missing, a person has to bring. */
function notMade(
  input: RunningStep,
  github: Github,
  wanted: NewPullRequest,
  { kind, message }: GhFailure,
): StepOutcome {
  if (kind === "unreachable") {
    return { kind: "failed", awaiting: "git", reason: message, retryable: true };
  }
  const { host } = github.repository;
  const first = {
    missing: "install gh (https://cli.github.com) and log in",
    login: `log in (gh auth login --hostname ${shellWord(host)})`,
    failed: "put it right",
  }[kind];
  const command = commandFor(input, github, wanted);
  return awaiting(
    `${message}\n${first}, then atlas retry; or open it by hand, then atlas retry:\n${command}`,
  );
}

/** What a person can run in any folder; the text of the pull request is kept in a file for it. */
function commandFor(
  { taskDir, definition }: RunningStep,
  { repository }: Github,
  { branch, base, title, body }: NewPullRequest,
): string {
  const file = join(taskDir, "artifacts", definition.name, "pull-request.md");
  replaceFile(file, Buffer.from(body), { keepPrevious: false });
  const words = [
    `--repo=${repositoryName(repository)}`,
    `--head=${branch}`,
    ...(base === "" ? [] : [`--base=${base}`]),
    `--title=${title}`,
    `--body-file=${file}`,
  ];
  return `gh pr create ${words.map(shellWord).join(" ")}`;
}

function elsewhere(branch: string, base: string): string {
  const into = base === "" ? "" : ` into ${plainLine(base, 100)}`;
  return (
    `the remote is not on GitHub: open the pull request of ${plainLine(branch, 100)}${into} there, ` +
    `then: atlas skip --reason "opened by hand"`
  );
}

function awaiting(reason: string): StepOutcome {
  return { kind: "awaiting", awaiting: "git", reason };
}
