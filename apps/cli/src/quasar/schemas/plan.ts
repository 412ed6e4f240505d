import type { PlanKind } from "@quasar/loop/resume";
import * as v from "valibot";
import { list, object, runId, shaOrNone, text, usd, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

const KINDS = [
  "restored",
  "reused",
  "adopted",
  "begins",
  "run-again",
  "resumed",
  "followed",
  "read",
  "refused",
  "waits",
] as const satisfies readonly PlanKind[];

/** What may become of a part of a run that is resumed. */
export const ITEM_KINDS = [...KINDS, "accepted"] as const;

const item = object(
  {
    kind: word([...ITEM_KINDS], "What becomes of a part of the run"),
    message: text("The same for a person"),
    data: v.pipe(
      v.record(v.string(), v.union([v.string(), v.number(), v.array(v.string())])),
      v.description("What the words are about"),
    ),
  },
  "What a resume would do, or what prevents it",
);

const estimate = object(
  {
    atMostUsd: v.optional(usd("The rest of the budget; left out: no limit")),
    likelyUsd: v.optional(
      usd("Up to the end of the next cycle; left out where no finished turn gives an estimate"),
    ),
  },
  "What it may cost",
);

export const planLine = result("plan", "What a resume would do: it is printed with --plan", {
  runId: runId(),
  task: text("In words"),
  items: list(item, "In the order in which they happen"),
  estimate,
  assessment: word(
    [
      "same",
      "ahead-own",
      "ahead-foreign",
      "behind",
      "diverged",
      "unknown-commit",
      "commit-lost",
      "undecidable",
      "unborn",
      "bare",
      "no-repository",
      "other-branch",
    ],
    "How HEAD is to where the run left it",
  ),
  headSha: shaOrNone("HEAD"),
  branch: v.optional(text("The branch that HEAD is on; left out where it is on none")),
});

export type PlanLine = Printed<typeof planLine>;
