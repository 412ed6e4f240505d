import * as v from "valibot";
import { MOST_ANSWER } from "../question.ts";
import { isSettled, type NebulaState, type PhaseState } from "../state/state.ts";
import { PortError } from "./errors.ts";
import type { GateReply, OutcomeId, PlanReply, PromiseId, QuestionReply, Reply } from "./port.ts";

/** The gate of a phase as its state is now. */
export function gateId({
  ref,
  attempt,
  digest,
}: Pick<PhaseState, "ref" | "attempt" | "digest">): PromiseId {
  return `gate/${ref}/${attempt}/${digest}`;
}

export function outcomeId(work: string, runId: string): OutcomeId {
  return `outcome/${work}/${runId}`;
}

/** What a person can answer of a nebula; whether the answer has a meaning is for the conductor that takes it. */
export function openPromises(
  state: Pick<NebulaState, "phases" | "planVerdict" | "revision">,
): readonly PromiseId[] {
  const { phases, planVerdict, revision } = state;
  const isPlanOpen = planVerdict === "asked" || planVerdict === "rejected";
  const gates = phases.filter(({ status }) => status !== "running" && status !== "done");
  const asking = phases.filter((phase) => !isSettled(phase));
  return [
    ...(isPlanOpen ? [`plan/${revision}` as const] : []),
    ...gates.map(gateId),
    ...asking.flatMap(({ questions }) => questions.map((id) => `question/${id}` as const)),
  ];
}

/** Whether only the first answer counts. */
export function isAnsweredOnce(id: PromiseId): boolean {
  return id.startsWith("question/");
}

const MOST_REASON = 16 * 1024;
const reason = v.pipe(v.string(), v.maxLength(MOST_REASON));

const gateReply = v.strictObject({
  verb: v.picklist(["approve", "reject", "retry", "skip"]),
  reason,
  isFinal: v.boolean(),
});
const planReply = v.strictObject({ verb: v.picklist(["approve", "reject"]), reason });
const questionReply = v.strictObject({
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(MOST_ANSWER)),
  agent: v.pipe(v.string(), v.maxLength(100)),
});

/** What a promise was answered with, by its kind. */
export type KindOfReply =
  | { readonly kind: "gate"; readonly reply: GateReply }
  | { readonly kind: "plan"; readonly reply: PlanReply }
  | { readonly kind: "question"; readonly reply: QuestionReply };

/** @throws {PortError} `ERR_USAGE` where it is no answer to that. */
export function readReply(id: PromiseId, reply: Reply): KindOfReply {
  const [kind] = id.split("/", 1);
  switch (kind) {
    case "gate":
      return { kind, reply: checked(id, gateReply, reply) };
    case "plan":
      return { kind, reply: checked(id, planReply, reply) };
    case "question":
      return { kind, reply: checked(id, questionReply, reply) };
    default:
      throw new PortError("ERR_USAGE", `nobody can answer ${JSON.stringify(id)}`);
  }
}

function checked<S extends v.GenericSchema>(
  id: string,
  schema: S,
  reply: unknown,
): v.InferOutput<S> {
  const found = v.safeParse(schema, reply);
  if (found.success) return found.output;
  const [issue] = found.issues;
  throw new PortError("ERR_USAGE", `the answer to ${JSON.stringify(id)}: ${issue.message}`);
}
