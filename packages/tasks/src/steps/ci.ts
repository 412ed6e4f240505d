import { setTimeout as pause } from "node:timers/promises";
import type { GhFailure } from "../github/gh.ts";
import type { Check, Github, PullRequest } from "../github/pull-requests.ts";
import { repositoryName } from "../github/repository.ts";
import { plainLine, shellWord, shortSha } from "../plain.ts";
import { lookAtBranch } from "./branch-work.ts";
import { findPullRequest, forgeOf } from "./pull-request.ts";
import type { RunningStep, StepExecutor, StepOutcome } from "./step.ts";

const TIMEOUT_MS = 30 * 60_000;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 2 * 60_000;
/** How long checks may take to be reported at all, and GitHub to see a push. */
const GRACE_MS = 2 * 60_000;

export interface CiStepOptions {
  /** @default the clock's */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** Milliseconds since any instant. @default a clock that nobody sets */
  readonly clock?: (() => number) | undefined;
}

/**
 * Waits for the checks of the task's pull request, of the very commit that the work tree is at. It asks
 * after 10 seconds, then ever more rarely, and believes an end that it has seen twice: checks that wait
 * for others are not reported before those have ended.
 *
 * @see SPEC.md, "CI"
 */
export function createCiStep({
  sleep = (ms, signal) => pause(ms, undefined, { signal }),
  clock = () => performance.now(),
}: CiStepOptions = {}): StepExecutor {
  return {
    async look(input) {
      const { branch } = input.task.metadata;
      const reason = "there are no checks to wait for";
      const forge = await forgeOf(input, input.signal);
      if (forge.kind === "no-remote") return { reason, evidence: "the repository has no remote" };
      if (forge.kind === "other") return { reason, evidence: "the remote is not on GitHub" };
      const { head } = await lookAtBranch(input, input.signal);
      const found = await findPullRequest(forge.github, branch, head);
      if (found.kind !== "ok" || found.value !== undefined) return undefined;
      return { reason, evidence: `${plainLine(branch, 100)} has no pull request` };
    },

    async run(input) {
      try {
        const { branch } = input.task.metadata;
        const { head, obstacle } = await lookAtBranch(input, input.signal);
        if (obstacle !== undefined) return awaiting(obstacle);
        const forge = await forgeOf(input, input.signal);
        if (forge.kind !== "github") return awaiting("the remote is not on GitHub: atlas skip");
        const found = await findPullRequest(forge.github, branch, head);
        if (found.kind !== "ok") return cannotSee(forge.github, found);
        if (found.value === undefined) return awaiting("the pull request is gone: atlas skip");
        return await watch(input, { github: forge.github, head, pullRequest: found.value });
      } catch (error) {
        if (!input.signal.aborted) throw error;
        const message = `${input.definition.name} was interrupted`;
        return { kind: "stopped", why: "interrupted", message };
      }
    },
  };

  async function watch(input: RunningStep, watched: Watched): Promise<StepOutcome> {
    const began = clock();
    const limit = input.definition.timeoutMs ?? TIMEOUT_MS;
    let wait = FIRST_PAUSE_MS;
    let last: Seen | undefined;
    for (;;) {
      const seen = await lookOnce(watched);
      if (seen.kind === "blind") return seen.outcome;
      const isConfirmed = last?.kind === seen.kind;
      last = seen;
      const elapsed = clock() - began;
      if (seen.kind === "passed" && isConfirmed) return passed(seen.checks, watched);
      if (seen.kind === "failed" && isConfirmed) return failed(seen.checks, watched);
      if (seen.kind === "none" && elapsed >= GRACE_MS) return nothingReported(watched);
      if (seen.kind === "elsewhere" && elapsed >= GRACE_MS) return moved(seen.at, watched);
      if (elapsed >= limit) return timedOut(seen, limit, watched);
      input.note({ workingOn: progress(seen) });
      const isFinal = seen.kind === "passed" || seen.kind === "failed";
      await sleep(Math.min(isFinal ? FIRST_PAUSE_MS : wait, limit - elapsed), input.signal);
      wait = Math.min(wait * 1.5, LONGEST_PAUSE_MS);
    }
  }
}

interface Watched {
  readonly github: Github;
  readonly pullRequest: PullRequest;
  /** The commit whose checks count. */
  readonly head: string;
}

type Seen =
  | { readonly kind: "passed" | "failed" | "pending"; readonly checks: readonly Check[] }
  | { readonly kind: "none" }
  /** The pull request is at another commit: the checks are that one's. */
  | { readonly kind: "elsewhere"; readonly at: string }
  /** Not now. */
  | { readonly kind: "unreachable"; readonly message: string };

type Look = Seen | { readonly kind: "blind"; readonly outcome: StepOutcome };

async function lookOnce({ github, pullRequest, head }: Watched): Promise<Look> {
  const at = await github.headOf(pullRequest.number);
  if (at.kind !== "ok") return unseen(github, at);
  if (at.value !== head) return { kind: "elsewhere", at: at.value };
  const checks = await github.checksOf(pullRequest.number);
  if (checks.kind !== "ok") return unseen(github, checks);
  return judgeChecks(checks.value);
}

function unseen(github: Github, failure: GhFailure): Look {
  if (failure.kind === "unreachable") return { kind: "unreachable", message: failure.message };
  return { kind: "blind", outcome: cannotSee(github, failure) };
}

/** What a pull request's checks come to: one that failed decides, then one that is not done. */
export function judgeChecks(checks: readonly Check[]): Seen {
  const has = (...buckets: readonly Check["bucket"][]): boolean =>
    checks.some(({ bucket }) => buckets.includes(bucket));
  if (checks.length === 0) return { kind: "none" };
  if (has("fail", "cancel")) return { kind: "failed", checks };
  return { kind: has("pending") ? "pending" : "passed", checks };
}

function passed(checks: readonly Check[], { pullRequest, head }: Watched): StepOutcome {
  return {
    kind: "completed",
    summary: `${checks.length} checks of ${shortSha(head)} passed: ${pullRequest.url}`,
    output: table(checks),
    metadata: { ci: "passed", ci_commit_sha: head },
  };
}

function nothingReported({ pullRequest, head }: Watched): StepOutcome {
  return {
    kind: "completed",
    summary: `no check was reported of ${shortSha(head)} in 2 minutes: ${pullRequest.url}`,
    metadata: { ci: "none", ci_commit_sha: head },
  };
}

function failed(checks: readonly Check[], watched: Watched): StepOutcome {
  const broken = checks.filter(({ bucket }) => bucket === "fail" || bucket === "cancel");
  const reason = `CI failed: ${names(broken)}\nsee ${commandFor(watched)}, then atlas retry`;
  return notPassed(reason, "failed", table(checks));
}

function timedOut(seen: Seen, limit: number, watched: Watched): StepOutcome {
  const why = seen.kind === "unreachable" ? seen.message : progress(seen);
  const minutes = Math.round(limit / 6_000) / 10;
  const reason = `CI timed out after ${minutes} min: ${why}\nsee ${commandFor(watched)}, then atlas retry`;
  return notPassed(reason, "timed_out", "checks" in seen ? table(seen.checks) : "");
}

function moved(at: string, { pullRequest, head }: Watched): StepOutcome {
  const reason =
    `${pullRequest.url} is at ${shortSha(at)}, not at ${shortSha(head)} as the work tree: ` +
    `push, or take in what others have pushed, then atlas retry`;
  return notPassed(reason, "elsewhere", "");
}

function notPassed(reason: string, ci: string, output: string): StepOutcome {
  // The same commit has the same checks: only a person changes that.
  return { kind: "failed", awaiting: "ci", reason, retryable: false, output, metadata: { ci } };
}

function cannotSee({ repository }: Github, { kind, message }: GhFailure): StepOutcome {
  const host = shellWord(repository.host);
  const isOld = /unknown flag/.test(message);
  const what = {
    missing: "install gh (https://cli.github.com), log in",
    login: `log in (gh auth login --hostname ${host})`,
    unreachable: "wait until GitHub can be reached",
    failed: isOld ? "install gh 2.50 or later" : "put it right",
  }[kind];
  return awaiting(`the checks cannot be seen: ${message}\n${what}, then atlas retry`);
}

function awaiting(reason: string): StepOutcome {
  return { kind: "awaiting", awaiting: "ci", reason };
}

function progress(seen: Seen): string {
  switch (seen.kind) {
    case "pending": {
      const open = seen.checks.filter(({ bucket }) => bucket === "pending");
      return `waiting for ${open.length} of ${seen.checks.length} checks: ${names(open)}`;
    }
    case "passed":
    case "failed":
      return `${seen.checks.length} checks have ${seen.kind}; looking once more`;
    case "none":
      return "waiting for checks to be reported";
    case "elsewhere":
      return `waiting for the pull request to show the push; it is at ${shortSha(seen.at)}`;
    case "unreachable":
      return "GitHub cannot be reached";
  }
}

function names(checks: readonly Check[]): string {
  const told = checks.slice(0, 10).map(({ name }) => plainLine(name, 60));
  return [...told, ...(checks.length > 10 ? [`${checks.length - 10} more`] : [])].join(", ");
}

function table(checks: readonly Check[]): string {
  return checks.map(({ name, bucket }) => `${bucket}\t${plainLine(name, 200)}`).join("\n");
}

function commandFor({ github, pullRequest }: Watched): string {
  const repo = shellWord(repositoryName(github.repository));
  return `gh pr checks ${pullRequest.number} --repo ${repo}`;
}
