import { inspectRepository } from "@quasar/git";
import { createCheckpoint } from "@quasar/checkpoint";
import type { HookFile } from "@quasar/hookfile";
import { assessResume, type Override, type Refusal, remainingRefusals } from "@quasar/loop/resume";
import { isAgentAlive } from "@quasar/loop/turn";
import type { DrivenRun } from "@quasar/runs/tree";
import type { StepInput } from "../steps/step.ts";

/** Whether a person has put up with the tree: a retry of a step that was stopped by how it was. */
export function isTreeAccepted({ history }: HookFile, stepName: string): boolean {
  const isStart = ({ trigger, stepName: of }: HookFile["history"][number]): boolean =>
    trigger === "start_step" && of === stepName;
  const before = history.slice(0, history.findLastIndex(isStart));
  return before
    .slice(before.findLastIndex(isStart) + 1)
    .some(({ trigger, details, stepName: of }) => {
      return of === stepName && trigger === "human_required" && details?.["kind"] === "interrupted";
    });
}

/**
 * Why agents may not continue in the work tree, or begin in it; `undefined` where they may. What is not
 * committed there is taken for an agent's, so it is no reason.
 *
 * @param run - As it was left, or what was seen of the tree where it begins.
 */
export async function treeRefusal(
  { worktree, task, signal }: StepInput,
  { left, seen }: Pick<DrivenRun, "left" | "seen">,
  acceptHead: boolean,
): Promise<string | undefined> {
  const gitSha = left?.gitSha ?? seen?.head ?? "";
  const facts = await inspectRepository(worktree, { since: gitSha, seen, signal });
  const { branch } = task.metadata;
  const assessment = assessResume(facts, {
    checkpoint: left ?? createCheckpoint({ gitSha }),
    branch: branch === "" ? undefined : branch,
    agentIsAlive: left !== undefined && isAgentAlive(left),
  });
  const accepted = new Set<Override>(acceptHead ? ["accept-head"] : []);
  const remaining = remainingRefusals(assessment, accepted);
  const refusal = remaining.find(({ check }) => check !== "dirty");
  return refusal && wordsOf(refusal);
}

const RETRY = "atlas retry, which takes it as it is";

export function wordsOf({
  message,
  advice,
  override,
}: Pick<Refusal, "message" | "advice" | "override">): string {
  const ways = [advice, override === "accept-head" ? RETRY : undefined];
  const either = ways.filter((way) => way !== undefined).join(", or ");
  return either === "" ? message : `${message}; ${either}`;
}
