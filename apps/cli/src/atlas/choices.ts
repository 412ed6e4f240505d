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
  return decisionsOf(hook).map((decision) => ({ decision, ...inWords(decision, hook) }));
}

function inWords(decision: Decision, hook: HookFile): Omit<Choice, "decision"> {
  switch (decision.kind) {
    case "resume":
      return { command: "atlas resume", meaning: resuming(hook) };
    case "retry":
      return { command: "atlas retry", meaning: "try the step again" };
    case "skip":
      return {
        command: 'atlas skip --reason "why"',
        meaning: "continue without the step: it is recorded as skipped",
      };
    case "abandon":
      return {
        command: "atlas abandon",
        meaning: "give the task up; branch, commits and files stay",
      };
    case "approve":
      return { command: "atlas approve", meaning: approving(decision) };
    case "reject":
      return decision.isFinal
        ? {
            command: "atlas reject --final",
            meaning: "refuse it for good: the task has failed",
          }
        : { command: 'atlas reject --feedback "what is wrong"', meaning: "send it back" };
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
