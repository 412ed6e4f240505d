import type { NebulaFacts } from "@quasar/nebula/facts";
import type { NebulaReportLine } from "../schemas/nebula-report.ts";
import { nebulaLine } from "./nebula-apply.ts";

type Printed = Omit<NebulaReportLine, "v" | "type" | "redactionSet" | "exit" | "next">;

/** What a report shows of a nebula, as `--json` has it. */
export function nebulaReportFacts(facts: NebulaFacts): Printed {
  const { tipSha, startedAt, lastAt, lane, lives, money, recovery } = facts;
  return {
    ...nebulaLine(facts),
    ...{ tipSha, startedAt, lastAt, lane, lives },
    needs: facts.needs.map(({ phase: phaseId, kind, text, questionId }) => {
      return { kind, phaseId, text, questionId };
    }),
    landings: facts.landings.map(
      ({
        phase: phaseId,
        number: landing,
        tree: treeSha,
        onto: ontoSha,
        at: landedAt,
        ...each
      }) => {
        const { sha, isVerified, isVerifiedTree } = each;
        const verifications = each.verifications.map(({ tree, outcome, at: verifiedAt }) => {
          return { treeSha: tree, outcome, verifiedAt };
        });
        const how = { isVerified, isVerifiedTree, verifications, landedAt };
        return { phaseId, landing, sha, treeSha, ontoSha, ...how };
      },
    ),
    decisions: facts.decisions.map(({ phase: phaseId, verb: decision, reason, at: decidedAt }) => {
      return { phaseId, decision, reason, decidedAt };
    }),
    ...{ maxBudgetUsd: money.maxUsd, reservedUsd: money.reservedUsd },
    ...{ costByPhase: money.byPhase, costByRole: money.byRole, costByCycle: money.byCycle },
    ...{ crashCount: recovery.crashCount, resumeCount: recovery.resumeCount },
    repeatedTurnCount: recovery.boughtTwiceCount,
    repeatedUsd: recovery.boughtTwiceUsd,
    events: facts.events.map(({ at: time, type, turnId, text }) => ({ time, type, turnId, text })),
    warnings: facts.problems,
  };
}
