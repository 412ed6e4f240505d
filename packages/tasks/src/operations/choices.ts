import { type HookFile, isTerminal, type StepRecord } from "@quasar/hookfile";

/** What can be done with a task now, and the command that does it. */
export interface Choice {
  readonly command: string;
  readonly meaning: string;
}

const RESUME: Choice = { command: "atlas resume", meaning: "continue" };
const RETRY: Choice = { command: "atlas retry", meaning: "try the step again" };
const SKIP: Choice = {
  command: 'atlas skip --reason "why"',
  meaning: "continue without the step: it is recorded as skipped",
};
const ABANDON: Choice = {
  command: "atlas abandon",
  meaning: "give the task up; branch, commits and files stay",
};
const NOT_APPROVED: readonly Choice[] = [
  { command: 'atlas reject --feedback "what is wrong"', meaning: "send it back" },
  { command: "atlas reject --final", meaning: "refuse it for good: the task has failed" },
];

/** An approval sets off the git steps up to the next person's step: it says which. */
function review(hook: HookFile): readonly Choice[] {
  const git = stepsBeforeNextGate(hook).filter(({ type }) => type === "git");
  const names = git.map(({ name }) => name).join(", ");
  const then = names === "" ? "" : `; ${names} will run`;
  return [
    { command: "atlas approve", meaning: `see what was done, accept it and continue${then}` },
    ...NOT_APPROVED,
  ];
}

/** The steps that an approval of the current one sets off: those up to the next person's step. */
export function stepsBeforeNextGate({ steps, currentStep }: HookFile): readonly StepRecord[] {
  const at = steps.findIndex(({ name }) => name === currentStep?.stepName);
  const after = at < 0 ? [] : steps.slice(at + 1);
  const gate = after.findIndex(({ type }) => type === "human");
  return gate < 0 ? after : after.slice(0, gate);
}

/** What a person can choose from, what is recommended first; none for a task that has ended. */
export function choicesOf(hook: HookFile): readonly Choice[] {
  const { state, awaiting, recovery } = hook;
  if (isTerminal(state)) return [];
  if (state === "awaiting_human") {
    return [...(awaiting?.kind === "review" ? review(hook) : [RETRY, SKIP]), ABANDON];
  }
  if (state !== "recovering") return [RESUME, ABANDON];
  const { recommendedAction = "manual", reason = "" } = recovery ?? {};
  const isManual = recommendedAction === "manual" || recommendedAction === "await_human";
  const resume = { ...RESUME, meaning: `do what is recommended (${recommendedAction}): ${reason}` };
  return [...(isManual ? [] : [resume]), RETRY, SKIP, ABANDON];
}
