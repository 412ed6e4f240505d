import type { CheckFacts, CommitFacts, RunFacts } from "@quasar/runs/facts";
import { turnFacts } from "../../shared/facts/turn.ts";
import type { ReportLine } from "../schemas/report.ts";

type Printed = Omit<ReportLine, "v" | "type" | "redactionSet" | "exit" | "next">;

/** What a report shows of a run, as `--json` has it. */
export function reportFacts(facts: RunFacts): Printed {
  const { id: runId, status, task, reason, coder, reviewer, cycle, maxCycles } = facts;
  const { baseSha, headSha, forkedFrom: fromRunId, startedAt, lastAt, verdict } = facts;
  const { maxUsd: maxBudgetUsd, byRole: costByRole, byCycle: costByCycle, ...spent } = facts.money;
  const { crashCount, resumeCount, boughtTwiceCount, boughtTwiceUsd } = facts.recovery;
  const { isApproved: approved, ...report } = verdict ?? {};
  const { lives, findings } = facts;
  return {
    ...{ runId, status, task, reason, coder, reviewer, cycle, maxCycles },
    ...{ baseSha, headSha, fromRunId, startedAt, lastAt, approved },
    report: "summary" in report ? report : undefined,
    ...{ ...spent, maxBudgetUsd, costByRole, costByCycle },
    ...{ crashCount, resumeCount },
    ...{ repeatedTurnCount: boughtTwiceCount, repeatedUsd: boughtTwiceUsd },
    turns: facts.turns.map(turnFacts),
    cycles: facts.cycles.map(({ isApproved, checks, ...each }) => ({
      ...each,
      approved: isApproved,
      checkResults: checks.map(checkFacts),
    })),
    findings,
    cycleCommits: facts.commits.map(commitFacts),
    lives,
    events: facts.events.map(({ at: time, ...event }) => ({ time, ...event })),
    warnings: facts.problems,
  };
}

function checkFacts({ isPassed: passed, at: endedAt, ...check }: CheckFacts) {
  return { ...check, passed, endedAt };
}

function commitFacts({ at: committedAt, ...commit }: CommitFacts) {
  return { ...commit, committedAt };
}
