import type { DecisionVerb } from "../../live/protocol.ts";

/** What a button says. */
export const VERB_WORDS: Readonly<Record<DecisionVerb, string>> = {
  approve: "Approve",
  reject: "Reject",
  answer: "Answer",
  pause: "Pause",
  continue: "Continue",
};

/** What comes of a decision, for the person who is about to make it. */
export function effectOf(verb: DecisionVerb, phase: string): string {
  const isPlan = phase === "";
  const effects: Readonly<Record<DecisionVerb, string>> = {
    approve: isPlan
      ? "The phases begin when the nebula is resumed."
      : "This change lands when its turn comes, and no other.",
    reject: isPlan
      ? "No phase begins before the nebula's files are changed, or you approve the plan after all."
      : "The phase goes back to its agents with your reason.",
    answer: "The answer becomes a part of the agent's next prompt.",
    pause: "Turns in flight end, and what is approved lands. No other turn and no phase begins.",
    continue: "The pause ends. If no engine works on the nebula, resume it in a terminal.",
  };
  return effects[verb];
}

/** What is typed with a decision; `undefined`: nothing is. */
export function typedWith(verb: DecisionVerb): string | undefined {
  if (verb === "reject") return "Reason";
  return verb === "answer" ? "Answer" : undefined;
}
