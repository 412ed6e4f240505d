import { answerQuestion, nebulaOfQuestion } from "@quasar/nebula/internal";
import * as z from "zod/v4";
import { McpError } from "../errors.ts";
import { refuseWithinRun } from "../within-run.ts";
import { tool } from "./tool.ts";

export const questionAnswer = tool({
  name: "hail_answer",
  title: "Answer a question",
  description:
    "Answers a question that an agent of a nebula has asked, once: needs of run_status have its questionId. The answer is marked as an agent's. What a person has to decide (approve, reject, retry) is no tool.",
  permission: "answer",
  input: z.strictObject({
    id: z
      .string()
      .regex(/^q-[0-9a-f]{8}$/u, "an id such as q-3f9a1c20")
      .describe("Id of the question: q-3f9a1c20"),
    text: z.string().min(1).max(4000).describe("The answer: up to 4,000 characters"),
  }),
  async call({ id, text }, { workspace, caller }) {
    refuseWithinRun();
    const { repositoryId } = workspace;
    const state = nebulaOfQuestion(repositoryId, id);
    if (state === undefined) throw new McpError("ERR_NOT_FOUND", `there is no question ${id}`);
    const answered = answerQuestion(repositoryId, state, { question: id, text, agent: caller() });
    const facts =
      answered.kind === "refused"
        ? { isAnswered: false, why: answered.why }
        : { isAnswered: true, isTaken: answered.kind === "done" };
    return { origin: `question ${id}`, facts: { questionId: id, ...facts } };
  },
});
