import type { HookFile, StepCheckpoint } from "@quasar/hookfile";
import type { GitFacts } from "@quasar/hookfile/checkpoints";

/** The commits that have a checkpoint. */
export function commitsOf(checkpoints: readonly StepCheckpoint[]): readonly string[] {
  return checkpoints.flatMap(({ trigger, gitCommit }) =>
    trigger === "git_commit" && gitCommit !== undefined ? [gitCommit] : [],
  );
}

/** Whether somebody else has made the checkpoint of a commit meanwhile. */
export function hasCommit(
  { checkpoints }: Pick<HookFile, "checkpoints">,
  { commit }: Pick<GitFacts, "commit">,
): boolean {
  return commit !== undefined && commitsOf(checkpoints).includes(commit);
}
