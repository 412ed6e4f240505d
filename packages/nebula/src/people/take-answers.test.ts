import { expect, test } from "vitest";
import { aFolder, aSpec } from "../../test/a-nebula.ts";
import { nebulaHome } from "../state/home.ts";
import { NO_PUSH, pendingPhase } from "../state/state.ts";
import { createState, openState } from "../state/store.ts";
import type { AgentQuestion } from "../question.ts";
import { keepQuestion } from "./question-files.ts";
import { settleQuestions } from "./take-answers.ts";

const at = (minute: number): Date => new Date(minute * 60_000);
const QUESTION: AgentQuestion = {
  ...{ id: "q-1a2b3c4d", phase: "a", attempt: 1, runId: "r", turnId: "r.1" },
  ...{ role: "coder", kind: "ambiguity", cycle: 1, summary: "which", detail: "", options: [] },
  askedAt: at(0).toISOString(),
};

test.for([
  ["asked of this engine", 0, 4, []],
  ["asked of this engine, in its last minute", 0, 5, ["question_expired"]],
  ["asked of an engine that died", 60, 64, []],
  ["asked of an engine that died, in its last minute", 60, 65, ["question_expired"]],
] as const)("a person has the whole time for a question: %s", ([, startedAt, now, expected]) => {
  const home = nebulaHome(aFolder({}), "abcdefghij");
  const phase = pendingPhase("a", "p1-0", at(0));
  createState(home, {
    ...{ id: "abcdefghij", name: "n", branch: "nebula/n", dir: "/n", base: "0".repeat(40) },
    ...{ revision: "0", createdAt: at(0).toISOString(), archivedFrom: "", archivedTip: "" },
    ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
    phases: [{ ...phase, status: "running", questions: [QUESTION.id] }],
  });
  keepQuestion(home, QUESTION);
  const told: string[] = [];
  settleQuestions({
    ...{ home, spec: aSpec({ a: [] }), startedAt: at(startedAt), now: () => at(now) },
    store: openState(home, () => at(now)),
    tell: ({ type }) => void told.push(type),
  });
  expect(told).toEqual(expected);
});
