import type { Checkpoint } from "@quasar/checkpoint";
import type { TaskResult } from "@quasar/loop";

/** What there is to say of a run that was interrupted before it was resumed. */
export function interrupted(checkpoint: Checkpoint): TaskResult {
  const { taskBeadId: taskId, gitSha: finalCommitSha } = checkpoint;
  const message = "Interrupted. The run can be resumed.";
  const nothing = { report: undefined, agentFailure: undefined, caches: [] };
  const { runId, cycle, totalCostUsd, unknownCostUsd, findings, allFindings } = checkpoint;
  const { baseCommitSha, cycleCommits } = checkpoint;
  const facts = { runId, cycle, totalCostUsd, unknownCostUsd, findings, allFindings };
  const commits = { baseCommitSha, finalCommitSha, cycleCommits };
  const changed = finalCommitSha !== baseCommitSha;
  const state = { checkpoint, changed, ...nothing, ...facts, ...commits };
  return { outcome: "interrupted", taskId, message, ...state };
}
