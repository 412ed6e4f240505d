import * as v from "valibot";
import { list, object, shaOrNone, text, word } from "../../shared/schemas/kinds.ts";
import { line, type Printed, result } from "../../shared/schemas/line.ts";
import { awaiting, hookState, quarantinedFile, reviewGap } from "./parts.ts";

const decided = {
  taskId: text("The task"),
  state: hookState,
  awaiting: v.optional(awaiting),
};

const shown = {
  baseSha: shaOrNone("The commit from which the task began"),
  tree: text("Git's tree of what is reviewed"),
  sha256: text("Of the diff"),
  stat: text("As `git diff --stat` prints it"),
  diff: text("As `git diff` prints it"),
  answer: v.optional(
    object(
      {
        step: text("The step that said it"),
        text: text("What it said"),
        sha256: text("Of that"),
      },
      "What the step before said",
    ),
  ),
  content: text("Names all that is reviewed: what --tree takes"),
  gaps: list(reviewGap, "What a person has to accept"),
};

export const reviewLine = line("review", "What an approval would approve: nothing is yet", {
  taskId: text("The task"),
  asked: text("What a person is asked"),
  ...shown,
  leadsTo: list(word(["commit", "push", "create_pr"], "What git does"), "What then happens"),
  quarantined: list(quarantinedFile, "Files that something other than atlas has changed"),
});

export const approveLine = result("approve", "The work was approved", {
  ...decided,
  reviewed: object(shown, "What was approved"),
  pullRequest: v.optional(text("Its address")),
});

export const rejectLine = result("reject", "The work was rejected", decided);
export const retryLine = result("retry", "The step that stopped is tried again", decided);
export const skipLine = result("skip", "The step was skipped", decided);
export const stepDoneLine = result("step_done", "An agent has done the step", decided);
export const abandonLine = result("abandon", "The task was given up", decided);

export type ReviewLine = Printed<typeof reviewLine>;
export type ApproveLine = Printed<typeof approveLine>;

/** What every command prints that decides about a task. */
export interface DecidedLine extends Omit<Printed<typeof abandonLine>, "type"> {
  readonly type: ApproveLine["type"] | Printed<OtherLine>["type"];
}

type OtherLine =
  | typeof rejectLine
  | typeof retryLine
  | typeof skipLine
  | typeof stepDoneLine
  | typeof abandonLine;
