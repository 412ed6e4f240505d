import type { RunSummary } from "@quasar/runs";
import type { RunElsewhere } from "@quasar/runs/internal";

/** A run as `--json` has it. */
export function runFacts({ id: runId, costUsd: knownUsd, ...run }: RunSummary) {
  return { runId, knownUsd, ...run };
}

export function elsewhereFacts({ id: runId, status, root: workTree, command }: RunElsewhere) {
  return { runId, status, workTree, command };
}
