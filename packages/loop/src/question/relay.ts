import type { CheckpointQuestion } from "@quasar/checkpoint";
import type { CycleState } from "../state.ts";
import { oneLine } from "../text.ts";

/** What became of a question. */
export interface RelayedAnswer {
  readonly question: CheckpointQuestion;
  /** What somebody has said; `undefined`: nobody has within the time that it had. */
  readonly text: string | undefined;
  /** Whether an agent has said it. @default a person has */
  readonly isOfAgent?: boolean | undefined;
}

/** The answers that no prompt of the run had yet. */
export function unrelayed(
  { relayedAnswers }: Pick<CycleState, "relayedAnswers">,
  answers: readonly RelayedAnswer[],
): readonly RelayedAnswer[] {
  const known = new Set(relayedAnswers);
  return answers.filter(({ question }) => !known.has(question.id));
}

/** Puts answers before the next prompt, beside those that already are: each once. */
export function relay(state: CycleState, answers: readonly RelayedAnswer[]): CycleState {
  if (answers.length === 0) return state;
  const entries = answers.map(entryOf).join("\n\n");
  const before = state.humanResponses === "" ? "[HUMAN RESPONSES]" : state.humanResponses;
  return {
    ...state,
    humanResponses:
      `${before}\n${state.humanResponses === "" ? "" : "\n"}${entries}`.toWellFormed(),
    relayedAnswers: [...state.relayedAnswers, ...answers.map(({ question }) => question.id)],
  };
}

function entryOf({ question, text, isOfAgent = false }: RelayedAnswer): string {
  const { kind, summary, cycle, role } = question;
  const about = `${kind} about ${JSON.stringify(oneLine(summary))} (cycle ${cycle})`;
  return text === undefined
    ? `The ${role}'s ${about} was not answered in time. Proceed as you think best.`
    : `The ${role}'s ${about} was answered${isOfAgent ? " by another agent, not by a person" : ""}:\n${JSON.stringify(text)}`;
}

/** What stands before a prompt; `""`: nothing. */
export function responsesBefore({ humanResponses }: Pick<CycleState, "humanResponses">): string {
  if (humanResponses === "") return "";
  return `${humanResponses}\n\nProceed with this guidance in mind. The work tree holds what was done so far.\n\n`;
}

/** The blockers that are not answered yet. */
export function openBlockers({
  questions,
  relayedAnswers,
}: Pick<CycleState, "questions" | "relayedAnswers">): readonly CheckpointQuestion[] {
  return questions.filter(({ id, kind }) => kind === "blocker" && !relayedAnswers.includes(id));
}

/**
 * Ids of the blockers that keep a run where it stands: its agent has ended, what it did is committed, and nothing else is
 * done before they are answered.
 */
export function blockingQuestions(
  state: Pick<CycleState, "questions" | "relayedAnswers" | "phase" | "turn">,
): readonly string[] {
  const { phase, turn } = state;
  const isReviewed = turn?.role === "reviewer" && turn.status === "settled";
  const isAtRest = phase === "code_complete" || (phase === "reviewing" && isReviewed);
  return isAtRest ? openBlockers(state).map(({ id }) => id) : [];
}

/** The agent that a blocker stopped is asked again, in the same cycle. */
export function askAgain(state: CycleState): CycleState {
  return state.phase === "reviewing"
    ? { ...state, reviewOutput: "" }
    : { ...state, phase: "bead_created" };
}
