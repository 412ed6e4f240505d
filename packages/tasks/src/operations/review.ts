import { createHash } from "node:crypto";
import { currentGitSha } from "@quasar/git";
import { diffTrees } from "@quasar/git/history";
import { takeSnapshot } from "@quasar/git/snapshots";
import { seenFiles, treeToCommit, workTreeId } from "@quasar/git/work-trees";
import type { HookFile, HookInput, StepRecord } from "@quasar/hookfile";
import { readArtifact } from "../artifacts.ts";
import { TasksError } from "../errors.ts";
import { approvalDetails } from "../steps/approved.ts";
import type { TaskView } from "../open-task.ts";
import type { TaskRecord } from "../task-record.ts";
import { readTask } from "../task-store.ts";
import { notAwaited } from "./awaited.ts";
import { approval } from "./decide.ts";
import { stepsBeforeNextGate } from "./decisions.ts";
import { changeTask, type OperationPorts } from "./change-task.ts";
import { type ReviewGap, reviewGaps } from "./review-gaps.ts";

/**
 * What a person is asked to approve: all that differs from where the task began, and the answer that a
 * reject would send back, such as a specification.
 */
export interface Review {
  readonly step: string;
  readonly worktree: string;
  /** What the template asks of the person. */
  readonly asked: string;
  /** The commit that the task began at. */
  readonly base: string;
  /** Id of the tree of everything that is there now, committed or not. */
  readonly tree: string;
  /** Id of the tree that a commit of it has: git may convert files, and leaves caches out. */
  readonly commitTree: string;
  readonly head: string;
  readonly diff: Awaited<ReturnType<typeof diffTrees>>;
  /** Of the diff's text: 64 hex digits. */
  readonly sha256: string;
  /** Of the `ai` step that a reject goes to; `undefined` where it goes to no such step. */
  readonly answer: Answer | undefined;
  /** The steps that an approval sets off. */
  readonly leadsTo: readonly StepRecord[];
  /** What the steps before have not dealt with. */
  readonly gaps: readonly ReviewGap[];
  /** Names what is shown: the tree's id; where there is an answer, the beginning of its digest behind it. */
  readonly content: string;
  /** What files held when they were read. */
  readonly seen: ReturnType<typeof seenFiles>;
}

export interface Answer {
  readonly step: string;
  /** Whole. Hostile text. */
  readonly text: string;
  /** Of the text: 64 hex digits. */
  readonly sha256: string;
}

/**
 * What an approval would be of, as it is now. What is not committed is kept as a snapshot below
 * `refs/quasar/<task>/`, so that what was approved can be seen again.
 *
 * @throws {TasksError} `ERR_NOT_AWAITED` where no review is awaited; `ERR_CHANGED` where somebody works
 *   there meanwhile; {GitError}
 */
export async function reviewOf(
  { dir, hook, task }: Pick<TaskView, "dir" | "hook" | "task">,
  { keys }: Pick<OperationPorts, "keys">,
  signal?: AbortSignal,
): Promise<Review> {
  const { awaiting, currentStep, worktreePath } = hook;
  if (awaiting?.kind !== "review") throw notAwaited(hook, "there is nothing to review");
  const base = task.metadata.baseSha;
  const seen = seenFiles();
  const tree = await workTreeId(worktreePath, { signal, seen });
  const prefix = `refs/quasar/${hook.taskId}/`;
  const message = `under review in ${currentStep?.stepName ?? "the task"}`;
  const snapshot = await takeSnapshot(worktreePath, { prefix, message, signal });
  const head = await currentGitSha(worktreePath, { signal });
  const work = snapshot?.sha ?? head;
  const diff = await diffTrees(worktreePath, base, work, { signal });
  const commitTree = await treeToCommit(worktreePath, { signal });
  const gaps = await reviewGaps({ dir, hook, task }, { keys, present: commitTree, signal });
  // What is shown and what the approval is of have to be the same content. Where git converts nothing, the
  // tree to commit is of the same bytes, and was read after what is shown.
  if (commitTree !== tree && (await workTreeId(worktreePath, { signal, seen })) !== tree) {
    throw changed("during the review");
  }
  const sha256 = digest(diff.text);
  const step = currentStep?.stepName ?? "";
  const answer = answerOf(dir, hook, task);
  const content = answer === undefined ? tree : `${tree}-${answer.sha256.slice(0, 16)}`;
  const shown = { base, tree, commitTree, head, diff, sha256, answer, gaps, content, seen };
  const leadsTo = stepsBeforeNextGate(hook);
  return { step, worktree: worktreePath, asked: awaiting.reason, leadsTo, ...shown };
}

function answerOf(
  taskDir: string,
  { steps, currentStep }: HookFile,
  { stepResults }: TaskRecord,
): Answer | undefined {
  const { onReject } = steps.find(({ name }) => name === currentStep?.stepName) ?? {};
  const source = steps.find(({ name, type }) => name === onReject && type === "ai");
  const result = stepResults.findLast(
    ({ stepName, status }) => stepName === source?.name && status === "success",
  );
  if (result === undefined) return undefined;
  const { stepName: step, output, artifactPath } = result;
  const whole = artifactPath === undefined ? undefined : readArtifact(taskDir, artifactPath);
  const text = whole ?? output;
  return { step, text, sha256: digest(text) };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Approves what was shown, once. Where it is not what is there any more, nothing is approved.
 *
 * @param accepted - The kinds of gaps that are accepted as they are.
 * @throws {TasksError} `ERR_CHANGED`; `ERR_NOT_ACCEPTED` where a gap is not accepted; `ERR_NOT_AWAITED`,
 *   also where it was approved before.
 */
export async function approveTask(
  taskDir: string,
  shown: Review,
  ports: OperationPorts,
  accepted: readonly ReviewGap["kind"][] = [],
): Promise<HookFile> {
  const refused = shown.gaps.filter(({ kind }) => !accepted.includes(kind));
  if (refused.length > 0) {
    const message = refused.map((gap) => gap.message).join("; ");
    throw new TasksError("ERR_NOT_ACCEPTED", `nothing was approved: ${message}`);
  }
  const { worktree, base, tree, commitTree, head, sha256, step, answer, seen } = shown;
  const look = async (): Promise<void> => {
    if ((await workTreeId(worktree, { seen })) !== tree) throw changed("since it was shown");
  };
  const decide = (hook: HookFile): HookInput[] => {
    if (hook.currentStep?.stepName !== step) throw notAwaited(hook, `${step} is not under review`);
    const now = answerOf(taskDir, hook, readTask(taskDir));
    if (now?.sha256 !== answer?.sha256) throw changed("since it was shown");
    const ofAnswer = answer && { answer_sha256: answer.sha256 };
    const kinds = shown.gaps.map(({ kind }) => kind);
    const approved = approvalDetails({ tree: commitTree, head, accepted: kinds });
    return approval(hook, { base, tree, diff_sha256: sha256, ...ofAnswer, ...approved });
  };
  return changeTask(taskDir, ports, decide, look);
}

function changed(when: string): TasksError {
  const message = `the work has changed ${when}: look at it again, then approve`;
  return new TasksError("ERR_CHANGED", message);
}
