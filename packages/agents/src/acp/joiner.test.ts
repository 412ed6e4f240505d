import { array, assert, constantFrom, integer, oneof, property, string } from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "./event.ts";
import { createChunkJoiner } from "./joiner.ts";

const update = (change: object) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s", update: change },
});
const say = (text: string, more: object = {}, sessionUpdate = "agent_message_chunk") =>
  update({ sessionUpdate, content: { type: "text", text }, ...more });
const think = (text: string) => say(text, {}, "agent_thought_chunk");
const TOOL = update({ sessionUpdate: "tool_call", toolCallId: "t" });
const USAGE = update({ sessionUpdate: "usage_update", used: 1 });

function joined(messages: readonly (object | string)[], most: number = 1000): unknown[] {
  const joiner = createChunkJoiner(most);
  const lines = messages.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const kept = lines.flatMap((line) => joiner.add(line, parseJson(line)));
  return [...kept, ...joiner.end()].map((line) => parseJson(line) ?? line);
}

test.for([
  [
    "what is said until a tool is used",
    [say("a"), say("b"), TOOL, say("c")],
    [say("ab"), TOOL, say("c")],
  ],
  ["what is said around a count", [say("a"), USAGE, say("b")], [USAGE, say("ab")]],
  ["what is said around a line of noise", [say("a"), "noise", say("b")], ["noise", say("ab")]],
  ["what is said and thought in turns", [say("a"), think("x"), say("b")], [say("ab"), think("x")]],
  ["what is said until an answer", [say("a"), say("b"), { id: 1 }], [say("ab"), { id: 1 }]],
  [
    "each message of its own id",
    [say("a", { messageId: "1" }), say("b", { messageId: "2" })],
    [say("a", { messageId: "1" }), say("b", { messageId: "2" })],
  ],
  [
    "the halves of a token around a tool and its question",
    [say("my ghp_a"), TOOL, { id: 1, method: "ask" }, say("b c"), { id: 2 }],
    [say("my "), TOOL, { id: 1, method: "ask" }, say("ghp_ab c"), { id: 2 }],
  ],
  ["the rest of a token at the end", [say("ghp_a"), TOOL], [TOOL, say("ghp_a")]],
] as const)("joins %s", ([, messages, kept]) => {
  expect(joined(messages)).toEqual(kept);
});

test("keeps a long text in parts that end between words", () => {
  const words = Array.from({ length: 40 }, (_, at) => say(`word-${at} `));
  const parts = joined(words, 50) as ReturnType<typeof say>[];
  const texts = parts.map(
    ({ params }) => (params.update as { content: { text: string } }).content.text,
  );
  expect(texts.every((text) => text.length <= 60)).toBe(true);
  expect(texts.every((text) => !/\S-$|^\d/.test(text))).toBe(true);
  expect(texts.join("")).toBe(Array.from({ length: 40 }, (_, at) => `word-${at} `).join(""));
});

test("loses nothing of what is said, whatever comes between and however long", () => {
  const piece = oneof(
    string().map((text) => say(text)),
    constantFrom(say("ghp_"), say(" x")),
    constantFrom(TOOL, USAGE),
  );
  assert(
    property(array(piece), integer({ min: 1, max: 20 }), (messages, most) => {
      const textOf = (all: readonly unknown[]) =>
        all
          .map((each) => (each as typeof TOOL).params.update as { content?: { text: string } })
          .map(({ content }) => content?.text ?? "")
          .join("");
      expect(textOf(joined(messages, most))).toBe(textOf(messages));
    }),
  );
});
