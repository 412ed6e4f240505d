import { type CheckpointQuestion, QUESTION_KINDS } from "@quasar/runs/internal";
import * as v from "valibot";

const text = v.pipe(v.string(), v.maxLength(16 * 1024));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const id = v.pipe(v.string(), v.regex(/^q-[0-9a-f]{8}$/u));

/** What an agent of a phase has asked, as its file has it. Its texts are the agent's, and not cleaned. */
export const questionSchema = v.object({
  id,
  phase: v.string(),
  attempt: count,
  runId: text,
  turnId: text,
  role: v.picklist(["coder", "reviewer"]),
  cycle: count,
  kind: v.picklist(QUESTION_KINDS),
  summary: text,
  detail: text,
  /** Answers to choose from; none: free. */
  options: v.pipe(v.array(text), v.readonly()),
  /** RFC 3339. */
  askedAt: text,
}) satisfies v.GenericSchema<unknown, CheckpointQuestion>;

export type AgentQuestion = v.InferOutput<typeof questionSchema>;

/** Most characters of an answer: it becomes a part of a prompt. */
export const MOST_ANSWER = 4000;

/** What became of a question, as its file has it. */
export const answerSchema = v.object({
  question: id,
  /** `agent`: one that is no agent of the nebula. `timeout`: nobody has said anything within the time that it had. */
  by: v.picklist(["person", "agent", "timeout"]),
  /** How the agent names itself, not checked. @default nobody has a name here */
  agent: v.optional(text),
  text,
  /** RFC 3339. */
  at: text,
});

export type QuestionAnswer = v.InferOutput<typeof answerSchema>;

/** What stands for an answer where there was none in time. */
export const NO_ANSWER = "No human response within timeout. Agent proceeded with best judgment.";

/** Whether a text may be a question's id: it becomes part of a path. */
export function isQuestionId(said: string): boolean {
  return v.is(id, said);
}

/**
 * Whether the time is over in which a question could be answered. A blocker waits as long as it takes.
 *
 * @param startedAt - Since when the engine works: time before that does not count.
 */
export function isExpired(
  { kind, askedAt }: Pick<AgentQuestion, "kind" | "askedAt">,
  timeoutMs: number,
  { startedAt, now }: { readonly startedAt: Date; readonly now: Date },
): boolean {
  if (kind === "blocker" || timeoutMs === 0) return false;
  const since = Math.max(Date.parse(askedAt), startedAt.getTime());
  return now.getTime() - since >= timeoutMs;
}
