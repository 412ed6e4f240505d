import { report } from "../state/report.ts";
import type { NebulaEvent } from "../events.ts";
import type { NebulaSpec } from "../spec/types.ts";
import type { NebulaHome } from "../state/home.ts";
import type { PhaseState } from "../state/state.ts";
import type { StateStore } from "../state/store.ts";
import { keepAnswer, readAnswer, readQuestion } from "./question-files.ts";
import { isExpired, NO_ANSWER } from "../question.ts";

interface Taker {
  readonly home: Pick<NebulaHome, "questions">;
  readonly store: StateStore;
  readonly tell: (event: NebulaEvent) => void;
}

/** Takes what people have answered: the state says so, and a phase that waited for it continues. */
export function takeAnswers({ home, store, tell }: Taker): void {
  for (const phase of openPhases(store)) {
    for (const id of phase.questions) {
      const answer = readAnswer(home, id);
      if (answer === undefined) continue;
      const { by, agent, text } = answer;
      const summary = readQuestion(home, id)?.summary ?? "";
      const event: NebulaEvent =
        by === "timeout"
          ? { type: "question_expired", phase: phase.id, id, summary }
          : { type: "question_answered", phase: phase.id, id, text, agent };
      report({ store, tell }, phase.id, withoutQuestion(home, store.phase(phase.id), id), event);
    }
  }
}

/** The same, with what nobody has answered in time answered by a fixed sentence. */
export function settleQuestions(
  engine: Taker & {
    readonly spec: NebulaSpec;
    readonly startedAt: Date;
    readonly now: () => Date;
  },
): void {
  takeAnswers(engine);
  const { home, store, spec, startedAt } = engine;
  const now = engine.now();
  for (const id of openPhases(store).flatMap(({ questions }) => questions)) {
    const question = readQuestion(home, id);
    if (question === undefined) continue;
    if (!isExpired(question, spec.execution.hailTimeoutMs, { startedAt, now })) continue;
    keepAnswer(home, { question: id, by: "timeout", text: NO_ANSWER, at: now.toISOString() });
  }
  takeAnswers(engine);
}

function openPhases({ current }: StateStore): readonly PhaseState[] {
  return current.phases.filter(({ questions }) => questions.length > 0);
}

function withoutQuestion(
  home: Taker["home"],
  { questions, status, question }: PhaseState,
  id: string,
): Partial<PhaseState> {
  const left = questions.filter((each) => each !== id);
  const waits = status === "awaiting_human" && question === "answer";
  const isBlocked = left.some((each) => readQuestion(home, each)?.kind === "blocker");
  if (!waits || isBlocked) return { questions: left };
  return { questions: left, status: "running", question: "", reason: "" };
}
