import { lockUnlessEngine, withState } from "../state/lock.ts";
import { cleanLine, fit } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { whyArchived } from "../state/archived.ts";
import { nebulaHome } from "../state/home.ts";
import { isUnfinished, listNebulae } from "../state/list.ts";
import { requireState } from "../state/store.ts";
import { isSettled, type NebulaState } from "../state/state.ts";
import type { Answered } from "./answer.ts";
import { openQuestions } from "./open-questions.ts";
import { keepAnswer, readAnswer, readQuestion } from "./question-files.ts";
import { type AgentQuestion, MOST_ANSWER } from "../question.ts";
import { takeAnswers } from "./take-answers.ts";

/** The nebula in which a question was asked; `undefined`: in none. */
export function nebulaOfQuestion(commonDir: string, id: string): NebulaState | undefined {
  return listNebulae(commonDir).find(
    (nebula) => readQuestion(nebulaHome(commonDir, nebula.id), id) !== undefined,
  );
}

const MOST_SHOWN = 3;

/** That there is no question of an id, and which can be answered. */
export function noQuestion(commonDir: string, id: string): NebulaError {
  const open = listNebulae(commonDir).filter(isUnfinished);
  const asked = open.flatMap((nebula) => openQuestions(commonDir, nebula));
  const answers = asked.map((question) => ({
    shell: `quasar nebula answer ${question.id} "your answer"`,
    note: fit(cleanLine(question.summary), 60),
  }));
  const looks = open.map((nebula) => ({
    shell: `quasar nebula status ${nebula.id}`,
    note: `${fit(cleanLine(nebula.name), 40)}: nothing is asked`,
  }));
  const next = (asked.length > 0 ? answers : looks).slice(0, MOST_SHOWN);
  const message = `there is no question ${JSON.stringify(id)}`;
  return new NebulaError("ERR_NOT_FOUND", message, { next });
}

/** An answer, and who gives it. */
export interface AnswerToQuestion {
  /** Its id. */
  readonly question: string;
  readonly text: string;
  /** How an agent that answers names itself. @default a person answers */
  readonly agent?: string | undefined;
}

/**
 * Answers a question of an agent: once, durably, whether an engine works on the nebula or not.
 *
 * @throws {NebulaError} `ERR_NOT_FOUND`; `ERR_USAGE` for a text that is empty or over 4,000 characters.
 */
export function answerQuestion(
  commonDir: string,
  state: NebulaState,
  { question: id, text, agent }: AnswerToQuestion,
): Answered {
  const home = nebulaHome(commonDir, state.id);
  const question = readQuestion(home, id);
  if (question === undefined) throw noQuestion(commonDir, id);
  const said = text.trim().toWellFormed();
  if (said === "" || said.length > MOST_ANSWER) {
    const message = `an answer has 1 to ${MOST_ANSWER} characters, and this one ${said.length}`;
    throw new NebulaError("ERR_USAGE", message);
  }
  const known = readAnswer(home, id);
  if (known !== undefined) return refused(ANSWERED[known.by]);
  const over = whyOver(requireState(home), question);
  if (over !== undefined) return refused(over);
  const at = new Date().toISOString();
  const by = agent === undefined ? "person" : "agent";
  if (!keepAnswer(home, { question: id, by, agent: agent?.slice(0, MOST_NAME), text: said, at })) {
    return refused(ANSWERED[readAnswer(home, id)?.by ?? "person"]);
  }
  const lock = lockUnlessEngine(home);
  if (lock === undefined) return { kind: "left" };
  return withState({ home, lock }, (store) => {
    takeAnswers({ home, store, tell: () => {} });
    return { kind: "done" };
  });
}

/** Why nothing reads an answer to a question any more; `undefined`: its run does. */
function whyOver(
  state: NebulaState,
  { id, phase: of, attempt }: AgentQuestion,
): string | undefined {
  const { phases } = state;
  const archived = whyArchived(state);
  if (archived !== undefined) return archived;
  const phase = phases.find((each) => each.id === of);
  if (phase === undefined || isSettled(phase)) {
    return `its phase is ${phase?.status ?? "gone"}: no agent needs the answer any more`;
  }
  if (phase.questions.includes(id)) return undefined;
  return `it was asked in attempt ${attempt}, which is over: attempt ${phase.attempt} has not asked it`;
}

/** Characters of the name of an agent. */
const MOST_NAME = 100;

const ANSWERED = {
  person: "it has an answer already, which stays",
  agent: "it has an answer already, which stays",
  timeout: "nobody answered it in time, and its agent has decided",
} as const;

function refused(why: string): Answered {
  return { kind: "refused", why };
}
