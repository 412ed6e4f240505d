import { join } from "node:path";
import { createOnce } from "@quasar/durable";
import { makeFolders, namesIn } from "@quasar/process/files";
import type { NebulaHome } from "../state/home.ts";
import { readJson } from "./json-file.ts";
import {
  type AgentQuestion,
  answerSchema,
  isQuestionId,
  type QuestionAnswer,
  questionSchema,
} from "../question.ts";

type Home = Pick<NebulaHome, "questions">;

/** Keeps a question, durably; one that is there stays as it is. */
export function keepQuestion(home: Home, question: AgentQuestion): void {
  keepOnce(home, `${question.id}.json`, question);
}

/** The question of an id; `undefined`: there is none that can be read. */
export function readQuestion(home: Home, id: string): AgentQuestion | undefined {
  return isQuestionId(id)
    ? readJson(join(home.questions, `${id}.json`), questionSchema)
    : undefined;
}

/** All questions of a nebula. */
export function allQuestions(home: Home): readonly AgentQuestion[] {
  return namesIn(home.questions)
    .filter((name) => !name.endsWith(ANSWER) && name.endsWith(".json"))
    .flatMap((name) => readQuestion(home, name.slice(0, -".json".length)) ?? []);
}

/** Answers a question, durably. @returns `false` where it has an answer, which stays. */
export function keepAnswer(home: Home, answer: QuestionAnswer): boolean {
  return keepOnce(home, `${answer.question}${ANSWER}`, answer);
}

/** The answer to a question; `undefined`: there is none yet. */
export function readAnswer(home: Home, id: string): QuestionAnswer | undefined {
  return readJson(join(home.questions, `${id}${ANSWER}`), answerSchema);
}

const ANSWER = ".answer.json";

function keepOnce({ questions }: Home, name: string, value: object): boolean {
  makeFolders(questions);
  return createOnce(join(questions, name), Buffer.from(`${JSON.stringify(value)}\n`));
}
