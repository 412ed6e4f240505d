import type { FindingFacts, RunFacts, TurnFacts } from "../src/facts/run-facts.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";
const AT = "2026-01-01T00:00:00.000Z";
export const RUN = "20261120-101112-0a1b2c";

/** Facts of a run in which every text of others is the given one. */
export function factsSaying(text: string, count = 1): RunFacts {
  const turn: TurnFacts = {
    ...{ turnId: `${RUN}.1`, role: "coder", cycle: 1, attempt: 2, status: "settled" },
    ...{ source: "reported", reservedUsd: 1, costUsd: 0.75, unknownUsd: 0.25, startedAt: AT },
    ...{ durationMs: 61_000, endedAt: AT, recoveries: ["restarted"], denied: [text] },
    summary: text,
  };
  const finding: FindingFacts = {
    ...{ id: "f-0123456789ab", severity: text, description: text, cycle: 1, status: "fixed" },
    life: [
      { cycle: 1, status: "found" },
      { cycle: 2, status: "fixed" },
    ],
  };
  const check = { check: "filter", name: text, isPassed: false, output: text, at: AT } as const;
  const cycle = { cycle: 1, startedAt: AT, endedAt: AT, checks: many(check), isApproved: true };
  const share = { name: "coder", knownUsd: 0.5, unknownUsd: 0.25, turnCount: count };
  const commit = { sha: SHA, cycle: 1, turnId: text, by: text };
  const life = { startedAt: AT, endedAt: AT, end: text, message: text };
  return {
    ...{ id: text, task: text, status: "stopped", reason: text, coder: text, reviewer: text },
    ...{ cycle: 2, maxCycles: 3, baseSha: SHA, headSha: SHA, forkedFrom: text },
    ...{ startedAt: AT, lastAt: AT },
    verdict: {
      ...{ isApproved: false, satisfaction: text, risk: text },
      ...{ needsHumanReview: true, summary: text },
    },
    money: {
      ...{ spentUsd: 0.75, knownUsd: 0.5, unknownUsd: 0.25, reservedUsd: 0, maxUsd: 5 },
      ...{ hasUnreportedCosts: false, byRole: [share], byCycle: [share, share] },
    },
    recovery: { crashCount: 1, resumeCount: 1, boughtTwiceCount: 1, boughtTwiceUsd: 0.75 },
    turns: many(turn),
    cycles: [cycle],
    findings: many(finding),
    commits: many({ ...commit, fileCount: 2, added: 3, removed: 1, at: AT }),
    lives: many({ ...life, recovered: { turnId: text, how: "restarted" } }, 2),
    events: [{ at: AT, type: "notice", turnId: "", text }],
    problems: [text],
    next: [{ shell: text, note: text }],
  };

  function many<T>(one: T, least = 1): readonly T[] {
    return Array.from({ length: Math.max(least, count) }, () => one);
  }
}
