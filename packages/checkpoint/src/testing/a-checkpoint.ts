import type { Checkpoint } from "../checkpoint.ts";
import { createCheckpoint } from "../create.ts";

/** A valid checkpoint in the middle of its second cycle, at commit `a…a`, with `change` over it. */
export function aCheckpoint(change: Partial<Checkpoint> = {}): Checkpoint {
  const finding = {
    id: "f-e67f8738fdc5",
    severity: "major",
    description: "missing nil check in a.go:12",
    cycle: 2,
    status: "found",
  } as const;
  const earlier = {
    id: "f-ab488000c9c2",
    severity: "critical",
    description: "bad",
    cycle: 1,
    status: "fixed",
  } as const;
  return createCheckpoint({
    phaseId: "auth-api",
    nebulaName: "my-nebula",
    createdAt: "2026-11-20T18:04:05.123456789-05:00",
    gitSha: "a".repeat(40),
    taskBeadId: "quasar-7z00",
    taskTitle: "Add JWT\n\nGoals:\n- ship it",
    cycle: 2,
    maxCycles: 5,
    phase: "review_complete",
    totalCostUsd: 1.2345,
    maxBudgetUsd: 70,
    coderOutput: "Changed a.go\n\t- tab",
    reviewOutput: "ISSUE:\nSEVERITY: major\nDESCRIPTION: missing nil check in a.go:12\n",
    baseCommitSha: "1".repeat(40),
    cycleCommits: ["2".repeat(40), "a".repeat(40)],
    childBeadIds: ["quasar-a1", "quasar-b2"],
    findings: [finding],
    allFindings: [earlier, finding],
    runId: "run-1",
    unknownCostUsd: 0.25,
    ...change,
  });
}
