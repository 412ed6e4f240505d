import { treeToCommit } from "@quasar/git/work-trees";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { showDiff } from "../../shared/show-diff.ts";
import type { Given } from "../command.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";

/** `atlas diff`: what a task has changed since it began, committed or not. */
export async function diffCommand(
  id: string | undefined,
  { stat, json }: Given,
): Promise<ExitCode> {
  const { hook, task } = await openMeant(openInstallation(), id);
  const root = hook.worktreePath;
  const to = await treeToCommit(root);
  await showDiff(
    { root, from: task.metadata.baseSha, to },
    { of: { taskId: hook.taskId }, stat, json },
  );
  return EXIT.ok;
}
