import type { RunSummary } from "@quasar/runs";
import type { RunElsewhere } from "@quasar/runs/internal";
import { stepInWords, stepsInWords } from "../next-steps.ts";

/** A run as `--json` has it. */
export function runFacts({ id: runId, costUsd: knownUsd, next, ...run }: RunSummary) {
  return { runId, knownUsd, ...run, next: stepsInWords(next) };
}

export function elsewhereFacts({ id: runId, status, root: workTree, next }: RunElsewhere) {
  return { runId, status, workTree, command: stepInWords(next) };
}
