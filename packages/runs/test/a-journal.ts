import type { Fact } from "../src/journal/fact.ts";

/** Facts as a journal has them: a minute apart. */
export function aJournal(...facts: readonly object[]): readonly Fact[] {
  return facts.map((fact, n) => {
    const time = new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
    return { time, ...fact } as unknown as Fact;
  });
}

const SHA = "0123456789abcdef0123456789abcdef01234567";

/** A run that was killed in its first turn, resumed, and approved in its second cycle. */
export const AJOURNAL: readonly object[] = [
  { type: "notice", message: "one\nnote" },
  { type: "cycle_start", cycle: 1 },
  { type: "agent_start", cycle: 1, role: "coder", turnId: "run.1", attempt: 1 },
  {
    ...{ type: "resumed", cycle: 1, message: "resumed from checkpoint" },
    details: ["The coder was mid-turn."],
  },
  { type: "turn_recovered", cycle: 1, role: "coder", turnId: "run.1", how: "restarted" },
  { type: "snapshot", cycle: 1, n: 1, ref: "refs/quasar/run/1", sha: SHA },
  { type: "agent_start", cycle: 1, role: "coder", turnId: "run.2", attempt: 2 },
  {
    ...{ type: "turn_retry", cycle: 1, role: "coder", turnId: "run.2", retry: 1, most: 3 },
    ...{ until: "2026-01-01T00:08:00.000Z", waitMs: 60_000, message: "coder: busy" },
  },
  { type: "turn_recovered", cycle: 1, role: "coder", turnId: "run.2", how: "resumed" },
  { type: "agent_start", cycle: 1, role: "coder", turnId: "run.3", attempt: 3 },
  {
    ...{ type: "agent_done", cycle: 1, role: "coder", turnId: "run.3", costUsd: 0.5 },
    ...{ durationMs: 61_000, summary: "Added it." },
  },
  {
    ...{ type: "tools_denied", cycle: 1, role: "coder", turnId: "run.3" },
    denials: [{ what: "npm publish", allow: [] }],
  },
  {
    ...{ type: "committed", cycle: 1, turnId: "run.3", sha: SHA },
    changes: { files: 2, added: 10, removed: 3 },
  },
  {
    ...{ type: "check_done", cycle: 1, check: "filter", name: "npm test", passed: false },
    ...{ output: "1 failed", turnId: "run.3" },
  },
  {
    ...{ type: "review_complete", cycle: 1, approved: false, turnId: "run.4" },
    findings: [{ severity: "major", description: "no check" }],
    changed: [{ id: "f-1", cycle: 1, status: "found" }],
  },
  { type: "struggle_detected", cycle: 1, message: "the same again" },
  { type: "cycle_start", cycle: 2 },
  { type: "agent_start", cycle: 2, role: "coder", turnId: "run.5", attempt: 1 },
  { type: "agent_done", cycle: 2, role: "coder", turnId: "run.5", durationMs: 1000 },
  { type: "committed", cycle: 2, turnId: "run.5" },
  { type: "committed", cycle: 2, turnId: "run.5", sha: SHA, by: "checks", paths: ["a.ts"] },
  { type: "undone", cycle: 2, turnId: "run.6", paths: ["b.ts"], n: 2, ref: "r", sha: SHA },
  {
    ...{ type: "review_complete", cycle: 2, approved: true, findings: [], turnId: "run.6" },
    changed: [{ id: "f-1", cycle: 1, status: "fixed" }],
  },
  { type: "task_success", cycle: 2, turnId: "run.6" },
  {
    ...{ type: "result", outcome: "approved", cycle: 2, totalCostUsd: 1, unknownCostUsd: 0 },
    ...{ message: "The reviewer approved.", finalCommitSha: SHA },
  },
];
