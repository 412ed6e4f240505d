import * as v from "valibot";
import {
  flag,
  list,
  object,
  sha,
  text,
  timeOrNone,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { NEBULA_ENTRIES } from "./nebula-apply.ts";
import { happened, life, share } from "./report.ts";

const need = object(
  {
    kind: word(
      ["plan", "land", "rework", "budget", "agent", "failed"],
      "plan: the whole plan waits. land: its change waits. rework: it cannot land. budget: a limit is too small. agent: its agent asks",
    ),
    phaseId: text('The phase; "": the nebula as a whole'),
    text: text("Why"),
    questionId: text('The question of an agent; "" otherwise'),
  },
  "What a person has to do",
);

const outcome = word(
  ["passed", "failed", "flaky", "known", "accepted"],
  "known: there was a receipt. accepted: what fails has failed before",
);

const landing = object(
  {
    phaseId: text("The phase"),
    landing: whole("Its number, from 1"),
    sha: sha("The commit"),
    treeSha: sha("Its tree"),
    ontoSha: sha("The commit that it landed on"),
    isVerified: flag("Whether every command of the verification passed, and there were some"),
    isVerifiedTree: v.optional(
      flag("Whether the tree that was verified last is the one that landed; left out: none was"),
    ),
    verifications: list(
      object(
        { treeSha: sha("The tree"), outcome, verifiedAt: timeOrNone("When") },
        "A verification",
      ),
      "Of its candidates, oldest first",
    ),
    landedAt: timeOrNone("When it landed"),
  },
  "A phase's change on the branch",
);

const decision = object(
  {
    phaseId: text('The phase; "": the plan'),
    decision: word(["approve", "reject", "retry", "skip"], "What a person has decided"),
    reason: text('Why; "": not said'),
    decidedAt: timeOrNone("When it was recorded"),
  },
  "A decision of a person",
);

export const nebulaReportLine = result(
  "nebula_report",
  "All that a report shows of a nebula, without secrets",
  {
    ...NEBULA_ENTRIES,
    tipSha: sha("What has all that has landed"),
    startedAt: timeOrNone("When it began"),
    lastAt: timeOrNone("Of the last record of its journal"),
    needs: list(need, "The most urgent first"),
    landings: list(landing, "In the order of the branch"),
    lane: v.pipe(
      v.array(v.string()),
      v.description("The phases that are approved and wait to land, first the next"),
    ),
    decisions: list(decision, "Oldest first"),
    maxBudgetUsd: usd("The limit for all phases; 0: none"),
    reservedUsd: usd("Set apart for phases at work, beyond what they have spent"),
    costByPhase: list(share, "Of those that have begun, in the order of the plan"),
    costByRole: list(share, "Of all runs that can be read"),
    costByCycle: list(share, "Of all runs that can be read"),
    crashCount: whole("How many of its engines were killed"),
    resumeCount: whole("How many engines continued it"),
    repeatedTurnCount: whole("Turns that had cost something, and were started again after a crash"),
    repeatedUsd: usd("What those had cost, reservations included"),
    lives: list(life, "Its engines, oldest first"),
    events: list(happened, "Oldest first"),
    warnings: v.pipe(v.array(v.string()), v.description("What is wrong with its files")),
    redactionSet: text("Names what was taken out: the same for the same secrets"),
  },
);

export type NebulaReportLine = Printed<typeof nebulaReportLine>;
