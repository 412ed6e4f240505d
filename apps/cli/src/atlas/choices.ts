import type { HookFile } from "@quasar/hookfile";
import { type Decision, decisionsOf } from "@quasar/tasks/operations";

/** What can be done with a task now, and the command that does it. */
export interface Choice {
  readonly decision: Decision;
  readonly command: string;
  readonly meaning: string;
}

/** What a person can choose from, what is recommended first; none for a task that has ended. */
export function choicesOf(hook: HookFile): readonly Choice[] {
  return decisionsOf(hook).map((decision) => ({
    decision,
    command: commandOf(decision),
    meaning: meaningOf(decision, hook),
  }));
}

/** What a person types to decide so. */
export function commandOf(decision: Decision): string {
  switch (decision.kind) {
    case "resume":
    case "retry":
    case "approve":
    case "abandon":
      return `atlas ${decision.kind}`;
    case "skip":
      return 'atlas skip --reason "why"';
    case "reject":
      return `atlas reject ${decision.isFinal ? "--final" : '--feedback "what is wrong"'}`;
  }
}

function meaningOf(decision: Decision, hook: HookFile): string {
  switch (decision.kind) {
    case "resume":
      return resuming(hook);
    case "retry":
      return "try the step again";
    case "skip":
      return "continue without the step: it is recorded as skipped";
    case "abandon":
      return "give the task up; branch, commits and files stay";
    case "approve":
      return approving(decision);
    case "reject":
      return decision.isFinal ? "refuse it for good: the task has failed" : "send it back";
  }
}

function resuming({ state, recovery }: HookFile): string {
  if (state !== "recovering" || recovery === undefined) return "continue";
  return `do what is recommended (${recovery.recommendedAction}): ${recovery.reason}`;
}

/** An approval sets off the git steps up to the next person's step: it says which. */
function approving({ leadsTo }: Extract<Decision, { readonly kind: "approve" }>): string {
  const git = leadsTo.filter(({ type }) => type === "git");
  const names = git.map(({ name }) => name).join(", ");
  return `see what was done, accept it and continue${names === "" ? "" : `; ${names} will run`}`;
}
