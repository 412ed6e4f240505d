import type { Fact } from "@quasar/runs";
import { outputFacts } from "../../shared/facts/output.ts";
import type { OutputRecord } from "../../shared/output/record.ts";

/** A fact of a journal as `--json` has it. */
export function journalFacts(fact: Fact): object {
  switch (fact.type) {
    case "result": {
      const { totalCostUsd: spentUsd, unknownCostUsd: unknownUsd, ...end } = fact;
      const { finalCommitSha: finalSha, ...others } = end;
      return { ...others, spentUsd, unknownUsd, finalSha };
    }
    case "forked": {
      const { from: fromRunId, ...others } = fact;
      return { ...others, fromRunId };
    }
    case "review_complete": {
      const { changed: changedFindings, ...review } = fact;
      return { ...review, changedFindings };
    }
    default:
      return outputFacts(fact as unknown as OutputRecord);
  }
}
