import type { RunSummary } from "@quasar/runs";
import type { RunElsewhere } from "@quasar/runs/internal";
import { named } from "../../shared/output/json.ts";

/** A run as `--json` has it. */
export function runFacts({ id: runId, costUsd: knownUsd, ...run }: RunSummary) {
  return named({ runId, knownUsd, ...run });
}

export function elsewhereFacts({ id: runId, status, root: workTree, command }: RunElsewhere) {
  return { runId, status, workTree, command };
}
