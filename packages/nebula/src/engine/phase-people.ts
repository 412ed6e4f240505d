import type { CheckpointQuestion, People, RelayedAnswer } from "@quasar/runs/internal";
import type { Engine } from "../context/context.ts";
import { report } from "../state/report.ts";
import { allQuestions, keepQuestion, readAnswer } from "../people/question-files.ts";
import { settleQuestions } from "../people/take-answers.ts";

type Asked = Pick<Engine, "home" | "store" | "spec" | "startedAt" | "now" | "tell">;

/** Whom the agents of a phase's run ask: people, by files that they answer from any shell. */
export function phasePeople(engine: Asked, phase: string): People {
  return {
    ask: (questions) => {
      for (const question of questions) ask(engine, phase, question);
    },
    answers: () => {
      settleQuestions(engine);
      return answersOf(engine, phase);
    },
  };
}

/** The file is first: what died before the state says so is asked again by the run. */
function ask({ home, store, now, tell }: Asked, phase: string, asked: CheckpointQuestion): void {
  const { attempt, runId, questions } = store.phase(phase);
  const { id } = asked;
  if (questions.includes(id) || readAnswer(home, id) !== undefined) return;
  keepQuestion(home, { ...asked, phase, attempt, runId, askedAt: now().toISOString() });
  const { turnId: _, ...event } = asked;
  const change = { questions: [...questions, id] };
  report({ store, tell }, phase, change, { type: "question_asked", phase, ...event });
}

/** What the current run of a phase reads: answers to any of its runs, and which of its own questions had none. */
function answersOf({ home, store }: Asked, phase: string): readonly RelayedAnswer[] {
  const { runId } = store.phase(phase);
  return allQuestions(home)
    .filter((question) => question.phase === phase)
    .flatMap((question) => {
      const answer = readAnswer(home, question.id);
      if (answer === undefined || (answer.by === "timeout" && question.runId !== runId)) return [];
      return { question, answer };
    })
    .toSorted((one, other) => one.answer.at.localeCompare(other.answer.at))
    .map(({ question, answer: { by, text } }) => ({
      question,
      text: by === "timeout" ? undefined : text,
      isOfAgent: by === "agent",
    }));
}

/**
 * Has a phase wait for the answers that its run cannot continue without; with all of them there, it continues.
 *
 * @param blockers - Ids of the questions.
 */
export function waitForAnswers(engine: Asked, phase: string, blockers: readonly string[]): void {
  const answered = new Set(answersOf(engine, phase).map(({ question }) => question.id));
  const open = blockers.find((id) => !answered.has(id));
  if (open === undefined) return;
  const reason = `an agent asks ${open}, and cannot continue without the answer`;
  const waiting = { status: "awaiting_human", question: "answer", reason } as const;
  report(engine, phase, waiting, { type: "phase_waits", phase, reason });
}
