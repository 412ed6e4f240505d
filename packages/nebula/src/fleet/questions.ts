import * as v from "valibot";
import type { Engine } from "../context/context.ts";
import { allQuestions, keepAnswer, keepQuestion, readAnswer } from "../people/question-files.ts";
import { MOST_VALUE_BYTES } from "../port/limits.ts";
import type { Json } from "../port/port.ts";
import { type AgentQuestion, answerSchema, questionSchema } from "../question.ts";
import type { NebulaHome } from "../state/home.ts";
import { report } from "../state/report.ts";

/** What the agents of a phase have asked, with what was answered: as an offer has it. */
export const askedSchema = v.array(
  v.object({ question: questionSchema, answer: v.optional(answerSchema) }),
);

export type Asked = v.InferOutput<typeof askedSchema>;

/** Bytes of all that is offered with a run, as JSON: a nebula has several, and its state beside them. */
const MOST_BYTES = MOST_VALUE_BYTES / 2;

/** What a worker of a phase has to know of its questions, the newest first. */
export function askedOf(home: NebulaHome, phase: string): Asked {
  const newest = allQuestions(home)
    .filter((question) => question.phase === phase)
    .toSorted((one, other) => other.askedAt.localeCompare(one.askedAt))
    .map((question) => ({ question, answer: readAnswer(home, question.id) }));
  let bytes = 0;
  return newest.filter((each) => (bytes += Buffer.byteLength(JSON.stringify(each))) <= MOST_BYTES);
}

/** Keeps here what is known elsewhere; what is here stays. */
export function keepAsked(home: NebulaHome, asked: Asked): void {
  for (const { question, answer } of asked) {
    keepQuestion(home, question);
    if (answer !== undefined) keepAnswer(home, answer);
  }
}

/** Has people see what an agent asks on another machine. One that is none of this run is passed over. */
export function takeQuestion({ home, store, tell }: Engine, value: Json): void {
  const found = v.safeParse(questionSchema, value);
  if (!found.success) return;
  const question: AgentQuestion = found.output;
  const { id, phase } = question;
  const state = store.current.phases.find((each) => each.id === phase);
  if (state === undefined || state.runId !== question.runId) return;
  if (state.questions.includes(id) || readAnswer(home, id) !== undefined) return;
  keepQuestion(home, question);
  const { turnId: _t, attempt: _a, runId: _r, askedAt: _at, ...event } = question;
  const change = { questions: [...state.questions, id] };
  report({ store, tell }, phase, change, { type: "question_asked", ...event });
}
