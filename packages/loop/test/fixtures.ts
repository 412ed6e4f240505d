import {
  type Checkpoint,
  type CheckpointLedgerEntry,
  type CheckpointTurn,
  createCheckpoint,
  findingId,
} from "@quasar/checkpoint";
import type { Finding } from "../src/review/finding.ts";

export function aFinding(change: Partial<Finding> = {}): Finding {
  const { severity = "major", description = "bad" } = change;
  const id = findingId(severity, description);
  return { id, severity, description, cycle: 1, status: "found", ...change };
}

export function aTurn(change: Partial<CheckpointTurn> = {}): CheckpointTurn {
  return {
    id: "run.1",
    role: "coder",
    attempt: 1,
    status: "settled",
    allowanceUsd: 0.5,
    reservedUsd: 0.5,
    unmetered: false,
    startedAt: "2026-01-02T03:04:05Z",
    sessionId: "",
    resumed: false,
    treeMark: "",
    pid: 0,
    processStart: 0,
    bootId: "",
    host: "",
    retries: 0,
    kills: 0,
    retryAt: "",
    ...change,
  };
}

export function aLedgerEntry(change: Partial<CheckpointLedgerEntry> = {}): CheckpointLedgerEntry {
  return {
    turnId: "run.1",
    role: "coder",
    cycle: 1,
    attempt: 1,
    status: "settled",
    source: "reported",
    reservedUsd: 0.5,
    costUsd: 0.25,
    unknownUsd: 0,
    startedAt: "2026-01-02T03:04:05Z",
    ...change,
  };
}

/** A checkpoint of a run in the middle of its work. */
export function aCheckpoint(change: Partial<Checkpoint> = {}): Checkpoint {
  return createCheckpoint({
    createdAt: "2026-01-02T03:04:05.678Z",
    taskBeadId: "t-1",
    taskTitle: "Do it",
    cycle: 1,
    maxCycles: 3,
    maxBudgetUsd: 3,
    phase: "review_complete",
    runId: "run",
    ...change,
  });
}
