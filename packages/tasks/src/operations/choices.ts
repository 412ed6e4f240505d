import { type HookFile, isTerminal } from "@quasar/hookfile";

/** What can be done with a task now, and the command that does it. */
export interface Choice {
  readonly command: string;
  readonly meaning: string;
}

const RESUME: Choice = { command: "atlas resume", meaning: "go on" };
const RETRY: Choice = { command: "atlas retry", meaning: "try the step again" };
const SKIP: Choice = {
  command: 'atlas skip --reason "why"',
  meaning: "go on without the step: it is recorded as skipped",
};
const ABANDON: Choice = {
  command: "atlas abandon",
  meaning: "give the task up; branch, commits and files stay",
};
const REVIEW: readonly Choice[] = [
  { command: "atlas approve", meaning: "see what was done, accept it and go on" },
  { command: 'atlas reject --feedback "what is wrong"', meaning: "send it back" },
  { command: "atlas reject --final", meaning: "refuse it for good: the task has failed" },
];

/** What a person can choose from, what is recommended first; none for a task that has ended. */
export function choicesOf(hook: HookFile): readonly Choice[] {
  const { state, awaiting, recovery } = hook;
  if (isTerminal(state)) return [];
  if (state === "awaiting_human") {
    return [...(awaiting?.kind === "review" ? REVIEW : [RETRY, SKIP]), ABANDON];
  }
  if (state !== "recovering") return [RESUME, ABANDON];
  const { recommendedAction = "manual", reason = "" } = recovery ?? {};
  const isManual = recommendedAction === "manual" || recommendedAction === "await_human";
  const resume = { ...RESUME, meaning: `do what is recommended (${recommendedAction}): ${reason}` };
  return [...(isManual ? [] : [resume]), RETRY, SKIP, ABANDON];
}
