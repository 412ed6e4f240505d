import { changedPaths } from "@quasar/git/history";
import { treeOfCommit } from "@quasar/git/internal";
import { createHookFileStore, type HookFile, HookFileError } from "@quasar/hookfile";
import { namedPaths } from "../plain.ts";
import type { TaskRecord } from "../task-record.ts";
import type { StepInput, StepOutcome } from "./step.ts";

/** What a person has approved. */
export interface Approved {
  /** The tree that a commit of it has. */
  readonly tree: string;
  /** What HEAD was. */
  readonly head: string;
  /** The kinds of gaps between it and what the steps before have dealt with. */
  readonly accepted: readonly string[];
}

/** As an approval's event has it. */
export function approvalDetails({ tree, head, accepted }: Approved): Record<string, string> {
  const kinds = accepted.length === 0 ? {} : { accepted: accepted.join(" ") };
  return { commit_tree: tree, head, ...kinds };
}

type HookEvent = HookFile["history"][number];

function approvalIn({ details = {} }: HookEvent): Approved | undefined {
  const { commit_tree: tree, head, accepted } = details;
  if (typeof tree !== "string" || typeof head !== "string") return undefined;
  return { tree, head, accepted: typeof accepted === "string" ? accepted.split(" ") : [] };
}

/** No tree is what was approved where nobody can say what was. */
const UNREADABLE: Approved = { tree: "", head: "", accepted: [] };

/**
 * The last approval, which binds the git steps after it; `undefined` where there is none, or where a step
 * that writes was completed since.
 *
 * @see SPEC.md, "What an approval binds"
 */
export function approvedLast(
  input: Pick<StepInput, "taskDir" | "task" | "hook">,
): Approved | undefined {
  const { taskDir, task, hook } = input;
  const decides = ({ trigger, stepName }: HookEvent): boolean =>
    trigger === "human_approve" || (trigger === "step_complete" && writesFiles(task, stepName));
  try {
    const last =
      hook.history.findLast(decides) ??
      (hook.counts.events > hook.history.length
        ? wholeHistory(taskDir).findLast(decides)
        : undefined);
    return last?.trigger === "human_approve" ? approvalIn(last) : undefined;
  } catch (error) {
    if (error instanceof HookFileError && error.code === "ERR_DAMAGED") return UNREADABLE;
    throw error;
  }
}

function wholeHistory(taskDir: string): readonly HookEvent[] {
  return [...createHookFileStore({ dir: taskDir }).history()].map(({ event }) => event);
}

/** Whether a step changes files by design. */
export function writesFiles({ template }: TaskRecord, stepName: string | undefined): boolean {
  const { type, access } = template.find(({ name }) => name === stepName) ?? {};
  return type === "loop" || (type === "ai" && access === "write");
}

/**
 * What a person is asked where a tree is not the approved one: to review it again; `undefined` where it is.
 *
 * @param tree - Or a commit that has it.
 */
export async function reviewAgain(
  { worktree }: Pick<StepInput, "worktree">,
  approved: Approved,
  tree: string,
  signal: AbortSignal,
): Promise<StepOutcome | undefined> {
  if (tree === approved.tree) return undefined;
  const differs =
    approved === UNREADABLE
      ? "what was approved is not known, as the history is damaged"
      : `not what was approved: ${namedPaths(await changedPaths(worktree, approved.tree, tree, { signal }))}`;
  const reason = `${differs}; see all of it: atlas approve, or atlas reject --feedback "…"`;
  return { kind: "awaiting", awaiting: "review", reason };
}

/** The same of a commit, such as HEAD. One that was HEAD when it was accepted as lacking something is approved. */
export async function reviewCommitAgain(
  input: Pick<StepInput, "taskDir" | "task" | "hook" | "worktree">,
  commit: string,
  signal: AbortSignal,
): Promise<StepOutcome | undefined> {
  const approved = approvedLast(input);
  if (approved === undefined) return undefined;
  if (commit === approved.head && approved.accepted.includes("uncommitted")) return undefined;
  const tree = await treeOfCommit(input.worktree, commit, { signal });
  return reviewAgain(input, approved, tree ?? commit, signal);
}
