import { type Checkpoint, CHECKPOINT_VERSION } from "./checkpoint.ts";

/**
 * A checkpoint with the given values, and for the others those of Go's zero struct: empty texts
 * and lists, 0, phase `idle`, the year 1.
 */
export function createCheckpoint(values: Partial<Checkpoint> = {}): Checkpoint {
  return {
    version: CHECKPOINT_VERSION,
    phaseId: "",
    nebulaName: "",
    createdAt: "0001-01-01T00:00:00Z",
    gitSha: "",
    taskBeadId: "",
    taskTitle: "",
    cycle: 0,
    maxCycles: 0,
    phase: "idle",
    totalCostUsd: 0,
    maxBudgetUsd: 0,
    coderOutput: "",
    reviewOutput: "",
    lintOutput: "",
    baseCommitSha: "",
    cycleCommits: [],
    childBeadIds: [],
    refactored: false,
    findings: [],
    allFindings: [],
    revision: 0,
    runId: "",
    unknownCostUsd: 0,
    filterOutput: "",
    filterCheckName: "",
    filterHistory: [],
    originalDescription: "",
    refactorDescription: "",
    untouchablePaths: [],
    failure: "",
    retryAt: "",
    ledger: [],
    extra: {},
    ...values,
  };
}
