import { TasksError } from "../errors.ts";
import type { GitAction } from "../templates/template.ts";
import { commitStep } from "./git-commit.ts";
import { pullRequestStep } from "./git-pr.ts";
import { pushStep } from "./git-push.ts";
import type { StepExecutor, StepInput } from "./step.ts";

const ACTIONS: Readonly<Record<GitAction, Required<StepExecutor>>> = {
  commit: commitStep,
  push: pushStep,
  create_pr: pullRequestStep,
};

/** Steps of type `git`: what they do is their definition's `action`. */
export const gitStep: Required<StepExecutor> = {
  look: async (input) => actionOf(input).look(input),
  run: async (input) => actionOf(input).run(input),
  probe: async (input) => actionOf(input).probe(input),
};

function actionOf({ definition }: StepInput): Required<StepExecutor> {
  const { action, name } = definition;
  if (action !== undefined) return ACTIONS[action];
  throw new TasksError("ERR_TEMPLATE", `the git step ${name} has no action`);
}
