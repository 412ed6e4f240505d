import { pushTarget, remoteUrl } from "@quasar/git/remotes";
import { createGithub, type Github, type PullRequest } from "../github/pull-requests.ts";
import { githubRepository } from "../github/repository.ts";
import type { GhAnswer } from "../github/gh.ts";
import { plainLine } from "../plain.ts";
import type { StepInput } from "./step.ts";

/** Where a task's pull request is, or would be. */
export type Forge =
  | { readonly kind: "github"; readonly github: Github }
  | { readonly kind: "no-remote" }
  /** It is none that `gh` can be asked about. */
  | { readonly kind: "other"; readonly url: string };

/** Starts nothing but git, which asks nobody. */
export async function forgeOf(
  { task, taskDir, worktree, ports }: StepInput,
  signal: AbortSignal,
): Promise<Forge> {
  const { branch, repoPath } = task.metadata;
  const target = await pushTarget(worktree, branch === "" ? undefined : branch, { signal });
  if (target.remotes.length === 0) return { kind: "no-remote" };
  const url =
    target.remote === undefined ? "" : await remoteUrl(worktree, target.remote, { signal });
  const repository = githubRepository(url, ports.env);
  if (repository === undefined) return { kind: "other", url: plainLine(ports.redact(url), 200) };
  const { env, redact } = ports;
  const untrusted = [worktree, repoPath];
  const context = { env, cwd: taskDir, untrusted, redact, signal };
  return { kind: "github", github: createGithub(repository, context) };
}

/**
 * The task's own pull request: an open one of its branch, else a closed one that ended at its very
 * commit. One that ended at another commit was about other work, or about what a person sent back.
 */
export async function findPullRequest(
  github: Github,
  branch: string,
  head: string,
): Promise<GhAnswer<PullRequest | undefined>> {
  const answer = await github.pullRequestsOf(branch);
  if (answer.kind !== "ok") return answer;
  const open = answer.value.find(({ state }) => state === "OPEN");
  return { kind: "ok", value: open ?? answer.value.find((each) => each.head === head) };
}
