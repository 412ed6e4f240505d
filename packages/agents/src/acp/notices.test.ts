import { expect, test } from "vitest";
import type { AgentRequest } from "../agent.ts";
import type { ChildOutcome } from "../child.ts";
import { COPILOT } from "./known.ts";
import { failureOfTurn } from "./outcome.ts";
import { createAcpReader } from "./reader.ts";

const REQUEST = { role: "coder", access: "write" } as AgentRequest;
const OUTCOME = { started: true, exitCode: 0, endedAt: "2026-11-26T17:00:00.000Z" };

const update = (change: object): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { update: change } });
const says = (text: string): string =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const asked = (id: number, method: string): string => JSON.stringify({ sent: { id, method } });
const answer = (id: number, result: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result });
const WRITES = update({
  sessionUpdate: "tool_call_update",
  toolCallId: "t1",
  kind: "edit",
  status: "completed",
});

/** What is read of a turn of Copilot. */
function read(...lines: readonly string[]) {
  const { notices } = COPILOT;
  const options = { access: "write", titleIsCommand: false, notices } as const;
  const reader = createAcpReader(() => undefined, options);
  const turn = [asked(1, "session/prompt"), ...lines, answer(1, { stopReason: "end_turn" })];
  for (const line of turn) reader.read(line);
  const { reading } = reader;
  const failed = failureOfTurn(reading, REQUEST, OUTCOME as unknown as ChildOutcome, {
    title: "Copilot",
    errorText: COPILOT.errorText,
  });
  return { text: reading.text, kind: failed?.kind };
}

// As GitHub Copilot CLI 1.0.102 says it.
const RETRIES = "Info: Request failed due to a transient API error. Retrying...";
const gaveUp = (why: string): string =>
  `Error: Failed to get response from the AI model; retried 5 times (total retry wait time: 14.88 seconds) Last error: ${why}`;

test.for([
  ["Error: Authentication failed with provider at http://127.0.0.1:42863 (HTTP 401).", "auth"],
  ["Error: Authentication failed with provider at http://127.0.0.1:42863 (HTTP 403).", "auth"],
  ["Error: 400 Your credit balance is too low to access the API.", "billing"],
  ["Error: Model 'nope' not found on provider at http://127.0.0.1:35749 (HTTP 404).", "usage"],
  [
    "Error: The provider rejected the prompt as too long, but automatic recovery could not reduce it.",
    "context-overflow",
  ],
  ["Error: No response was returned. Send your message again to retry.", "empty-answer"],
  [gaveUp("429 too fast"), "rate-limit"],
  [gaveUp("500 broken"), "overloaded"],
  [gaveUp("529 overloaded"), "overloaded"],
  [
    gaveUp(
      "Failed native model HTTP request: error sending request for url (http://127.0.0.1:35379/v1/messages): client error (SendRequest): connection closed before message completed",
    ),
    "network",
  ],
  ["Error: Something that nobody has seen yet.", "unknown"],
] as const)("an answer that is the notice %j is the failure %s", ([said, kind]) => {
  expect(read(says(RETRIES), says(said))).toEqual({ text: "", kind });
  expect(read(says("I write."), WRITES, says(said)).kind).toBe(kind);
});

test("a notice in the midst of a turn is neither its answer nor its end", () => {
  const turn = read(says(RETRIES), WRITES, says("Info: /work/tree/a.txt"), says("Done."));
  expect(turn).toEqual({ text: "Done.", kind: undefined });
});

test("an error that was overcome is none", () => {
  const turn = read(says(gaveUp("529 overloaded")), says("Done after all."));
  expect(turn).toEqual({ text: "Done after all.", kind: undefined });
});

test("a turn that is asked to continue ends by the last answer", () => {
  const { notices } = COPILOT;
  const reader = createAcpReader(() => undefined, {
    access: "write",
    titleIsCommand: false,
    notices,
  });
  const usage = (inputTokens: number) => ({
    usage: { inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 },
  });
  for (const line of [
    asked(1, "session/prompt"),
    answer(1, { stopReason: "end_turn", ...usage(100) }),
    asked(2, "session/prompt"),
    says("Done without."),
  ]) {
    reader.read(line);
  }
  expect(reader.reading.stopReason).toBeUndefined();
  reader.read(answer(2, { stopReason: "end_turn", ...usage(300) }));
  expect(reader.reading).toMatchObject({ stopReason: "end_turn", text: "Done without." });
  expect(reader.reading.uses.map(({ tokens }) => tokens.input)).toEqual([300]);
});
