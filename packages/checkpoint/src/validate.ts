import { type Checkpoint, CHECKPOINT_VERSION } from "./checkpoint.ts";
import { CheckpointError } from "./errors.ts";
import { PHASES } from "./phases.ts";
import { incompatible } from "./version.ts";

/** The stages from which a run continues: all but the last, `error`. */
const resumable: ReadonlySet<string> = new Set(PHASES.slice(0, PHASES.indexOf("error")));

/**
 * Throws unless a checkpoint is safe to resume from.
 *
 * The checks run in the order of the codes below, so an unknown version's fields are never read.
 *
 * @param headSha - HEAD of the work tree: 40 or 64 lowercase hex digits, `""` outside a repository.
 * @throws {CheckpointError} `ERR_INCOMPATIBLE_VERSION`; `ERR_GIT_SHA_MISMATCH`, which a caller may
 *   override; `ERR_INVALID_CHECKPOINT` for a cycle below 1, a phase that no run continues from, or a
 *   cost or budget that would disable the check on money.
 * @see SPEC.md, "Validation"
 */
export function validateCheckpoint(checkpoint: Checkpoint, headSha: string): void {
  const { version, gitSha, cycle, phase, totalCostUsd, maxBudgetUsd } = checkpoint;
  if (version !== CHECKPOINT_VERSION) throw incompatible(version);
  if (gitSha !== headSha) {
    const message = `checkpoint is of commit ${gitSha}, but HEAD is ${headSha}`;
    throw new CheckpointError("ERR_GIT_SHA_MISMATCH", message);
  }
  if (!Number.isSafeInteger(cycle) || cycle < 1) throw invalid(`cycle ${cycle} is not 1 or more`);
  if (!resumable.has(phase)) throw invalid(`no run resumes from phase ${phase}`);
  if (!isAmount(totalCostUsd)) throw invalid(`total_cost_usd ${totalCostUsd} is no amount`);
  if (!isAmount(maxBudgetUsd)) throw invalid(`max_budget_usd ${maxBudgetUsd} is no amount`);
}

function isAmount(value: number): boolean {
  return value >= 0 && value < Infinity;
}

function invalid(message: string): CheckpointError {
  return new CheckpointError("ERR_INVALID_CHECKPOINT", message);
}
