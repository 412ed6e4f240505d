import { currentGitSha, logRange, openRepository } from "@quasar/git";
import { openCommitGaps } from "@quasar/git/gaps";
import { changedPaths, isAncestor, refSha } from "@quasar/git/history";
import { treeOfCommit } from "@quasar/git/internal";
import type { HookFile, StepRecord } from "@quasar/hookfile";
import type { KeyManager } from "@quasar/receipts";
import { ignoredWords, ignoredWork } from "../ignored-work.ts";
import type { TaskView } from "../open-task.ts";
import { listed, namedPaths, plainLine, shortSha } from "../plain.ts";
import type { GitAction } from "../templates/template.ts";
import { validatedTree } from "../validation/proof.ts";

/** In what the work under review differs from what the steps before have dealt with. */
export const REVIEW_GAPS = ["unvalidated", "uncommitted", "ignored", "unpushed"] as const;

export interface ReviewGap {
  readonly kind: (typeof REVIEW_GAPS)[number];
  /** What differs, for a person. */
  readonly message: string;
}

export interface ReviewGapsOptions {
  readonly keys: KeyManager;
  /** The tree of a commit of everything that is there. */
  readonly present: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What of the work under review was not validated, not committed, is ignored or was not pushed, although
 * steps before the review were to do that. Steps that were skipped for want of a remote ask for nothing.
 *
 * @throws {GitError}
 * @see SPEC.md, "Review and approval"
 */
export async function reviewGaps(
  { dir, hook, task }: Pick<TaskView, "dir" | "hook" | "task">,
  { keys, present, signal }: ReviewGapsOptions,
): Promise<readonly ReviewGap[]> {
  const worktree = hook.worktreePath;
  const before = stepsBefore(hook);
  const isOf = (action: GitAction) => (step: StepRecord) =>
    task.template.find(({ name }) => name === step.name)?.action === action;
  const validates = before.some(({ type }) => type === "validation");
  // Of what is not committed these would take nothing along.
  const current = hook.steps.filter(({ name }) => name === hook.currentStep?.stepName);
  const publishes = current.some(isOf("push")) || current.some(isOf("create_pr"));
  const commits = publishes || before.some(isOf("commit"));
  const push = before.findLast(isOf("push"));
  if (!validates && !commits && push === undefined) return [];

  const head = await currentGitSha(worktree, { signal });
  const committed = (await treeOfCommit(worktree, head, { signal })) ?? present;
  const gaps: ReviewGap[] = [];
  if (validates) {
    const valid = validatedTree({ taskDir: dir, task, keys }, present);
    if (valid === undefined) {
      gaps.push({ kind: "unvalidated", message: "what is there now was not validated" });
    } else if (valid.tree !== present) {
      const paths = await changedPaths(worktree, valid.tree, present, { signal });
      gaps.push({
        kind: "unvalidated",
        message: `changed since the validation: ${namedPaths(paths)}`,
      });
    }
  }
  if (commits && committed !== present) {
    const paths = await changedPaths(worktree, committed, present, { signal });
    gaps.push({ kind: "uncommitted", message: `not committed: ${namedPaths(paths)}` });
  }
  const repository = await openRepository(worktree, { signal });
  const outside = await openCommitGaps(repository, { signal }).changedByOutsideRules(
    new Date(task.createdAt),
  );
  if (outside.length > 0) {
    const message = `kept out of commits by rules that none holds: ${namedPaths(outside)}`;
    gaps.push({ kind: "uncommitted", message });
  }
  const ignored = await ignoredWork(worktree, task, { present, signal });
  const isTold = (path: string): boolean =>
    outside.some((each) => each === path || (path.endsWith("/") && each.startsWith(path)));
  const paths = ignored.paths.filter((path) => !isTold(path));
  if (paths.length > 0 || ignored.rules.length > 0) {
    gaps.push({ kind: "ignored", message: ignoredWords({ ...ignored, paths }) });
  }
  if (commits && !(await isOnBranch(worktree, hook.branch, head, signal))) {
    const message = `not on branch ${plainLine(hook.branch, 100)}: ${shortSha(head)}`;
    gaps.push({ kind: "uncommitted", message });
  }
  const lacking =
    push?.status === "completed" && (await notPushed(worktree, task, push, head, signal));
  if (typeof lacking === "string") gaps.push({ kind: "unpushed", message: lacking });
  return gaps;
}

function stepsBefore({ steps, currentStep }: HookFile): readonly StepRecord[] {
  const at = steps.findIndex(({ name }) => name === currentStep?.stepName);
  return steps.slice(0, Math.max(0, at));
}

/** Whether the task's branch has the commit: it is what stays of the task once its work tree is closed. */
async function isOnBranch(
  worktree: string,
  branch: string,
  head: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const at = await refSha(worktree, `refs/heads/${branch}`, { signal });
  if (at === undefined) return false;
  return at === head || (await isAncestor(worktree, head, at, { signal })) === true;
}

/** `undefined` where the remote's branch has HEAD, as far as this repository knows. */
async function notPushed(
  worktree: string,
  { stepResults }: TaskView["task"],
  { name }: StepRecord,
  head: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const result = stepResults.findLast(
    ({ stepName, metadata }) => stepName === name && metadata["pushed_commit_sha"] !== undefined,
  );
  const { pushed_commit_sha: sha, pushed_ref: ref } = result?.metadata ?? {};
  if (typeof sha !== "string") return undefined;
  const known = typeof ref === "string" ? await refSha(worktree, ref, { signal }) : undefined;
  for (const there of [sha, known]) {
    if (there === head) return undefined;
    if (there && (await isAncestor(worktree, head, there, { signal })) === true) return undefined;
  }
  const since = (await isAncestor(worktree, sha, head, { signal })) === true;
  const commits = since ? await logRange(worktree, { from: sha, to: head, signal }) : [];
  const which = commits.map((each) => `${shortSha(each.sha)} ${plainLine(each.subject, 60)}`);
  const what = since ? listed(which) : `HEAD is ${shortSha(head)}, pushed was ${shortSha(sha)}`;
  return `not pushed, so in no pull request: ${what}`;
}
