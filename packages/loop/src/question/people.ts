import type { CheckpointQuestion } from "@quasar/checkpoint";
import { messageOf } from "../emitter.ts";
import type { Ending } from "../ending.ts";
import { failedBy } from "../full-disk.ts";
import type { Run } from "../run.ts";
import { askAgain, type RelayedAnswer, relay, unrelayed, blockingQuestions } from "./relay.ts";

/** The people behind a run, whom its agents may ask. */
export interface People {
  /** Keeps what was asked, durably, before the run continues. The same is asked again after a crash. */
  readonly ask: (questions: readonly CheckpointQuestion[]) => void;
  /** What has become of questions, oldest first: those whose answers the run has had, too. */
  readonly answers: () => readonly RelayedAnswer[];
}

/**
 * Has people asked what the last turn asks them; where a blocker is answered, its agent is asked again.
 *
 * @returns Why the run does not continue: it waits for an answer, or what was asked cannot be kept.
 */
export function askPeople(run: Run): Ending | undefined {
  const { turn, questions } = run.state;
  if (questions.length === 0 || turn?.status !== "settled") return undefined;
  return withPeople(run, (people) => {
    people.ask(questions.map((each) => withoutSecrets(run, each)));
    const blockers = blockingQuestions(run.state);
    if (blockers.length === 0) return undefined;
    const answered = new Set(people.answers().map(({ question }) => question.id));
    if (!blockers.every((id) => answered.has(id))) return WAITING;
    run.state = askAgain(run.state);
    return undefined;
  });
}

const WAITING: Ending = {
  outcome: "interrupted",
  message: "An agent has asked a question, and cannot continue without the answer.",
};

/** Puts what was answered since before the next prompt. One that only names a commit is asked without it. */
export function takeAnswers(run: Run): Ending | undefined {
  if (run.state.commitRefused === "message") return undefined;
  return withPeople(run, (people) => {
    run.state = relay(run.state, unrelayed(run.state, people.answers()));
    return undefined;
  });
}

function withPeople(
  { settings: { people } }: Run,
  work: (people: People) => Ending | undefined,
): Ending | undefined {
  if (people === undefined) return undefined;
  try {
    return work(people);
  } catch (error) {
    const message = `questions of agents, or their answers, could not be kept: ${messageOf(error)}`;
    return failedBy(error, { outcome: "checkpoint", message });
  }
}

function withoutSecrets({ settings }: Run, question: CheckpointQuestion): CheckpointQuestion {
  const { redact = (text: string): string => text } = settings;
  const { summary, detail, options } = question;
  return {
    ...question,
    ...{ summary: redact(summary), detail: redact(detail), options: options.map(redact) },
  };
}
