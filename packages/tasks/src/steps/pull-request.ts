import { pushTarget, remoteUrl } from "@quasar/git/remotes";
import { createGithub, type Github, type PullRequest } from "../github/pull-requests.ts";
import { githubRepository, type GithubRepository } from "../github/repository.ts";
import type { GhAnswer } from "../github/gh.ts";
import { plainLine } from "../plain.ts";
import type { TaskMetadata } from "../task-record.ts";
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
  const { env, redact } = ports;
  const { repoPath } = task.metadata;
  const where = await remoteOf(task.metadata, worktree, env, signal);
  if (where.kind === "no-remote") return where;
  const { url, repository } = where;
  if (repository === undefined) return { kind: "other", url: plainLine(redact(url), 200) };
  const untrusted = [worktree, repoPath];
  const context = { env, cwd: taskDir, untrusted, redact, signal };
  return { kind: "github", github: createGithub(repository, context) };
}

type Remote =
  | { readonly kind: "no-remote" }
  | {
      readonly kind: "remote";
      readonly url: string;
      /** `undefined`: it is not on GitHub. */
      readonly repository: GithubRepository | undefined;
    };

/** Where a task's branch is pushed to. */
export async function remoteOf(
  { branch }: Pick<TaskMetadata, "branch">,
  workTree: string,
  env: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<Remote> {
  const target = await pushTarget(workTree, branch === "" ? undefined : branch, { signal });
  if (target.remotes.length === 0) return { kind: "no-remote" };
  const { remote } = target;
  const url = remote === undefined ? "" : await remoteUrl(workTree, remote, { signal });
  return { kind: "remote", url, repository: githubRepository(url, env) };
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
