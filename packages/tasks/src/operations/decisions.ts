import { type HookFile, isTerminal, type StepRecord } from "@quasar/hookfile";

/** What a person can do with a task; each has a function, but for `resume`: that is to drive it. */
export type Decision =
  | { readonly kind: "resume" | "retry" | "skip" | "abandon" }
  /** `leadsTo`: the steps that it sets off. */
  | { readonly kind: "approve"; readonly leadsTo: readonly StepRecord[] }
  | { readonly kind: "reject"; readonly isFinal: boolean };

const RESUME: Decision = { kind: "resume" };
const TRY_OR_LEAVE_OUT: readonly Decision[] = [{ kind: "retry" }, { kind: "skip" }];
const ABANDON: Decision = { kind: "abandon" };

/** What a person can decide now, what is recommended first; nothing for a task that has ended. */
export function decisionsOf(hook: HookFile): readonly Decision[] {
  const { state, awaiting, recovery } = hook;
  if (isTerminal(state)) return [];
  if (state === "awaiting_human") {
    return [...(awaiting?.kind === "review" ? reviewed(hook) : TRY_OR_LEAVE_OUT), ABANDON];
  }
  if (state !== "recovering") return [RESUME, ABANDON];
  const { recommendedAction = "manual" } = recovery ?? {};
  const isManual = recommendedAction === "manual" || recommendedAction === "await_human";
  return [...(isManual ? [] : [RESUME]), ...TRY_OR_LEAVE_OUT, ABANDON];
}

function reviewed(hook: HookFile): readonly Decision[] {
  return [
    { kind: "approve", leadsTo: stepsBeforeNextGate(hook) },
    { kind: "reject", isFinal: false },
    { kind: "reject", isFinal: true },
  ];
}

/** The steps that an approval of the current one sets off: those up to the next person's step. */
export function stepsBeforeNextGate({ steps, currentStep }: HookFile): readonly StepRecord[] {
  const at = steps.findIndex(({ name }) => name === currentStep?.stepName);
  const after = at < 0 ? [] : steps.slice(at + 1);
  const gate = after.findIndex(({ type }) => type === "human");
  return gate < 0 ? after : after.slice(0, gate);
}
