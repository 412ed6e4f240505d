import { basename } from "node:path";
import { leaveDecision, waitingDecisions } from "../../people/inbox.ts";
import { removeNote } from "../../people/notes.ts";
import { decidePlan } from "../../people/plan-gate.ts";
import { keepAnswer, readAnswer } from "../../people/question-files.ts";
import type { NebulaHome } from "../../state/home.ts";
import { isSettled, type NebulaState } from "../../state/state.ts";
import type { GateReply, InboxItem, Json, PromiseId, Resolved } from "../port.ts";
import { gateId, type KindOfReply } from "../promises.ts";

/** What people have answered and the engine has not taken, oldest first. What is no answer is left to the engine. */
export function itemsOnDisk(home: NebulaHome, state: NebulaState): readonly InboxItem[] {
  const decisions = waitingDecisions(home).flatMap(({ path, said }): readonly InboxItem[] => {
    const phase = state.phases.find(({ id }) => id === said?.phase);
    if (said === undefined || phase === undefined) return [];
    const { verb, reason, isFinal } = said;
    const id = gateId({ ref: phase.ref, attempt: said.attempt, digest: said.digest });
    return [{ key: basename(path), id, value: { verb, reason, isFinal } }];
  });
  return [...decisions, ...answers(home, state)];
}

function answers(home: NebulaHome, { phases }: NebulaState): readonly InboxItem[] {
  const asked = phases.filter((phase) => !isSettled(phase)).flatMap(({ questions }) => questions);
  return asked.flatMap((id): readonly InboxItem[] => {
    const answer = readAnswer(home, id);
    if (answer === undefined) return [];
    return [{ key: id, id: `question/${id}`, value: replyOf(answer) }];
  });
}

function replyOf({ text, agent = "" }: { text: string; agent?: string | undefined }): Json {
  return { text, agent };
}

/** Removes the decisions that a state has taken. The answer to a question is a record, and stays. */
export function removeTaken(home: NebulaHome, keys: readonly string[]): void {
  for (const note of waitingDecisions(home)) {
    if (keys.includes(basename(note.path))) removeNote(note);
  }
}

/** The nebula that is answered, as it is now. */
interface Answered {
  readonly commonDir: string;
  readonly home: NebulaHome;
  readonly state: NebulaState;
  readonly now: Date;
}

/** Leaves an answer where the engine takes it from, durably. */
export function leaveReply(answered: Answered, id: PromiseId, said: KindOfReply): Resolved {
  switch (said.kind) {
    case "gate":
      return decide(answered, id, said.reply);
    case "plan": {
      const { kind } = decidePlan(answered.commonDir, answered.state, said.reply);
      return { as: kind === "refused" ? "closed" : "resolved" };
    }
    case "question":
      return answer(answered, id.slice("question/".length), said.reply);
  }
}

function decide({ home, state, now }: Answered, id: PromiseId, reply: GateReply): Resolved {
  const phase = state.phases.find((each) => gateId(each) === id);
  if (phase === undefined) return { as: "closed" };
  const { attempt, digest } = phase;
  leaveDecision(home, { ...reply, phase: phase.id, attempt, digest }, now);
  return { as: "resolved" };
}

function answer(
  { home, now }: Answered,
  question: string,
  { text, agent }: { readonly text: string; readonly agent: string },
): Resolved {
  const by = agent === "" ? ({ by: "person" } as const) : ({ by: "agent", agent } as const);
  if (keepAnswer(home, { question, ...by, text, at: now.toISOString() })) return { as: "resolved" };
  const first = readAnswer(home, question);
  if (first === undefined) return { as: "closed" };
  const isSame = first.text === text && (first.agent ?? "") === agent;
  return isSame ? { as: "resolved" } : { as: "already", value: replyOf(first) };
}
