import { nebulaHome } from "../state/home.ts";
import { isSettled, type NebulaState } from "../state/state.ts";
import { readAnswer, readQuestion } from "./question-files.ts";
import type { AgentQuestion } from "../question.ts";

/** The questions that a person can answer now: first those of agents that cannot continue, then in the order of the plan. */
export function openQuestions(
  commonDir: string,
  { id, phases }: Pick<NebulaState, "id" | "phases">,
): readonly AgentQuestion[] {
  const home = nebulaHome(commonDir, id);
  const rank = ({ kind }: AgentQuestion): number => (kind === "blocker" ? 0 : 1);
  return phases
    .filter((phase) => !isSettled(phase))
    .flatMap(({ questions }) => questions)
    .filter((question) => readAnswer(home, question) === undefined)
    .flatMap((question) => readQuestion(home, question) ?? [])
    .toSorted((one, other) => rank(one) - rank(other));
}
