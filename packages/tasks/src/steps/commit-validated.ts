import type { Commit } from "@quasar/git";
import { changedPaths } from "@quasar/git/history";
import { treeOfCommit } from "@quasar/git/internal";
import { treeToCommit } from "@quasar/git/work-trees";
import type { StepRecord } from "@quasar/hookfile";
import { namedPaths } from "../plain.ts";
import { validatedTree } from "../validation/proof.ts";
import { approvedLast, reviewAgain, writesFiles } from "./approved.ts";
import { lookAtBranch } from "./branch-work.ts";
import type { RunningStep, StepInput, StepOutcome } from "./step.ts";
import { VALIDATED_ALREADY, validateWithin } from "./validation.ts";

/** How a commit is made, and found again. */
export interface Committing {
  made(commits: readonly Commit[] | undefined): Commit | undefined;
  commit(tree: string, signal: AbortSignal): Promise<StepOutcome>;
}

/** Runs what may take only so long. */
type InTime = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T | StepOutcome>;

/** How often what a commit has become is validated again: a git hook that formats needs one. */
const MOST_VALIDATIONS = 2;

/**
 * Commits exactly the tree that was validated. Where that cannot be, because HEAD has moved on since or
 * a git hook changes what is committed, what is there is validated again.
 *
 * @see SPEC.md, "Git steps"
 */
export async function commitValidated(
  input: RunningStep,
  inTime: InTime,
  committing: Committing,
): Promise<StepOutcome> {
  for (let validations = 0; ; validations += 1) {
    const outcome = await inTime((signal) => tryToCommit(input, committing, signal));
    if (outcome !== undefined) return outcome;
    if (validations === MOST_VALIDATIONS) return NEVER_AS_VALIDATED;
    const message = `HEAD would not be what was validated: validating what is there now${await otherwise(input)}`;
    input.tell({ type: "warning", message });
    const failed = await validateWithin(input);
    if (failed !== undefined) return failed;
  }
}

const NEVER_AS_VALIDATED: StepOutcome = {
  kind: "awaiting",
  awaiting: "git",
  reason:
    "what is committed is never what was validated: a git hook or another program changes it each " +
    "time. See git log and git status, stop that program, then atlas retry",
};

/** `undefined`: what would be committed, or was, has to be validated first. */
async function tryToCommit(
  input: RunningStep,
  { made, commit }: Committing,
  signal: AbortSignal,
): Promise<StepOutcome | undefined> {
  const { worktree } = input;
  const { head, commits, obstacle } = await lookAtBranch(input, signal);
  if (obstacle !== undefined) return { kind: "awaiting", awaiting: "git", reason: obstacle };
  const present = await treeToCommit(worktree, { signal });
  const approved = approvedLast(input);
  const asked = approved && (await reviewAgain(input, approved, present, signal));
  if (asked !== undefined) return asked;
  const valid = validatedTree(proofsOf(input), present);
  if (valid === undefined || (approved !== undefined && valid.tree !== present)) return undefined;
  if ((await treeOfCommit(worktree, head, { signal })) === valid.tree) {
    const own = made(commits);
    const summary = own === undefined ? "there was nothing left to commit" : "it was made already";
    const metadata = own && { commit_sha: own.sha };
    return withRest(input, { kind: "completed", summary, metadata }, valid.tree, signal);
  }
  // On another commit the tree would take back what that one has changed.
  if (valid.tree !== present && (valid.commit ?? "") !== head) return undefined;
  const outcome = await commit(valid.tree, signal);
  // A git hook that formats and refuses has left what is to be validated in the tree's place.
  if (outcome.kind === "failed" && (await treeToCommit(worktree, { signal })) !== present) {
    return undefined;
  }
  if (outcome.kind !== "completed") return outcome;
  const { head: after } = await lookAtBranch(input, signal);
  if ((await treeOfCommit(worktree, after, { signal })) !== valid.tree) return undefined;
  return withRest(input, outcome, valid.tree, signal);
}

/** The files that are other than those that were validated: nobody may have reviewed them. */
async function otherwise(input: RunningStep): Promise<string> {
  const { worktree, signal } = input;
  const present = await treeToCommit(worktree, { signal });
  const { tree = present } = validatedTree(proofsOf(input), present) ?? {};
  const paths = tree === present ? [] : await changedPaths(worktree, tree, present, { signal });
  return paths.length === 0 ? "" : `; changed since then: ${namedPaths(paths)}`;
}

/** Says what has changed since the validation, and stays uncommitted. */
async function withRest(
  { worktree, tell }: RunningStep,
  outcome: Extract<StepOutcome, { readonly kind: "completed" }>,
  tree: string,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const present = await treeToCommit(worktree, { signal });
  if (present === tree) return outcome;
  const paths = await changedPaths(worktree, tree, present, { signal });
  const files = paths.length === 1 ? "1 file has" : `${paths.length} files have`;
  const message = `${files} changed since the validation and stay uncommitted: ${namedPaths(paths)}`;
  tell({ type: "warning", message });
  return { ...outcome, summary: `${outcome.summary}; ${message}` };
}

/**
 * In what a commit is not what was validated, in words; `undefined` where it is, and without a validation
 * before the step.
 */
export async function lackOfValidation(
  input: StepInput,
  commit: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (validationBefore(input) === undefined) return undefined;
  const { worktree } = input;
  const present = await treeToCommit(worktree, { signal });
  const valid = validatedTree(proofsOf(input), present);
  if (valid === undefined) return "what is there now was not validated";
  const tree = (await treeOfCommit(worktree, commit, { signal })) ?? "";
  if (tree === valid.tree) return undefined;
  const paths = namedPaths(await changedPaths(worktree, valid.tree, tree || commit, { signal }));
  const what = valid.tree === present ? "not committed" : "changed since the validation";
  return `${what}: ${paths}`;
}

function proofsOf({ taskDir, task, ports }: StepInput): Parameters<typeof validatedTree>[0] {
  return { taskDir, task, keys: ports.keys };
}

/**
 * The validation whose tree a commit has to have: the nearest before it. None where a person has left it
 * out or has approved what it has not validated, or where a step after it changes files again.
 */
export function validationBefore(input: StepInput): StepRecord | undefined {
  const { hook, step, task } = input;
  if (approvedLast(input)?.accepted.includes("unvalidated") === true) return undefined;
  const until = hook.steps.findIndex(({ name }) => name === step.name);
  for (const earlier of hook.steps.slice(0, until).toReversed()) {
    if (earlier.type === "validation") return isDone(earlier) ? earlier : undefined;
    if (writesFiles(task, earlier.name)) return undefined;
  }
  return undefined;
}

function isDone({ status, note = "" }: StepRecord): boolean {
  return status === "completed" || (status === "skipped" && note.startsWith(VALIDATED_ALREADY));
}
