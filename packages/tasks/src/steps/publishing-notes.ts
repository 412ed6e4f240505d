import type { TaskRecord } from "../task-record.ts";
import { remoteOf } from "./pull-request.ts";

/** What a person should know of a task's pull request before work begins, in words. */
export async function publishingNotes(
  { template, metadata }: Pick<TaskRecord, "template" | "metadata">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const at = template.findIndex(({ action }) => action === "create_pr");
  const opening = template[at];
  if (opening === undefined) return [];
  const remote = await remoteOf(metadata, metadata.worktreeDir, env);
  if (remote.kind === "no-remote") return [];
  if (remote.repository === undefined) {
    return [
      `the remote is not on GitHub: step ${opening.name} will wait until you open the pull request there`,
    ];
  }
  const review = template.slice(at + 1).find(({ type }) => type === "human");
  if (review === undefined) return [];
  return [`the pull request opens before your review: step ${opening.name}, then ${review.name}`];
}
