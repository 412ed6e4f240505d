import { createHash } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { anthropicConversation, openAiConversation } from "../../src/torture/model/conversation.ts";
import { eventsOf, type ModelTurn } from "../../src/torture/model/events.ts";
import { answerUsd, realWire } from "../../src/torture/model/real.ts";
import { startModelServer } from "../../src/torture/model/server.ts";

const ANTHROPIC = {
  model: "claude-sonnet-4-6",
  system: [{ type: "text", text: "You are the coder of a pair." }],
  tools: [{ name: "Bash" }, { name: "StructuredOutput" }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>It is Monday.</system-reminder>" },
        { type: "text", text: "Write it" },
      ],
    },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Bash", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "ok" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "2", name: "Bash", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "2", content: [{ type: "text", text: "Failed" }] },
        { type: "text", text: "Continue" },
      ],
    },
  ],
};

const OPENAI = {
  model: "gpt-5.5",
  instructions: "You are an agent.",
  tools: [{ type: "function", name: "exec_command" }, { type: "web_search" }],
  input: [
    { role: "developer", content: [{ type: "input_text", text: "You are the coder of a pair." }] },
    { role: "user", content: [{ type: "input_text", text: "<environment_context>…" }] },
    { role: "user", content: [{ type: "input_text", text: "Write it" }] },
    { type: "reasoning", content: null },
    { type: "custom_tool_call", call_id: "1", name: "apply_patch", input: "…" },
    { type: "custom_tool_call_output", call_id: "1", output: "ok" },
    { type: "function_call", call_id: "2", name: "exec_command", arguments: "{}" },
    { type: "function_call_output", call_id: "2", output: [{ type: "input_text", text: "no" }] },
    { role: "user", content: "Continue" },
  ],
};

test.for([
  ["Anthropic's Messages", anthropicConversation(ANTHROPIC)],
  ["OpenAI's Responses", openAiConversation(OPENAI)],
] as const)("reads prompts, instructions and ended calls of %s", ([, conversation]) => {
  expect(conversation.prompts).toBe("Write it\nContinue");
  expect(conversation.system).toContain("You are the coder of a pair.");
  expect(conversation.step).toBe(2);
});

test("does not count a call whose end the client has not seen", () => {
  const lost = "[Tool call interrupted: its outcome is unknown]";
  const messages = [
    { role: "user", content: "Write it" },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: lost }] },
  ];
  expect(anthropicConversation({ ...ANTHROPIC, messages }).step).toBe(0);
  const input = [{ type: "function_call_output", call_id: "1", output: "aborted" }];
  expect(openAiConversation({ ...OPENAI, input }).step).toBe(0);
});

test.for([{}, { model: "m" }, { model: "m", messages: [{}], input: [{ type: 1 }] }])(
  "refuses %j as either API's request",
  (body) => {
    expect(() => anthropicConversation(body)).toThrow("Invalid ");
    expect(() => openAiConversation(body)).toThrow("Invalid ");
  },
);

const claude = anthropicConversation(ANTHROPIC);
const codex = openAiConversation(OPENAI);
const WRITE: ModelTurn = { write: { path: "/repo/a.txt", content: "one\ntwo\n" } };

test.for([
  ["a file for Anthropic's client", claude, WRITE, '"Write"'],
  ["a command for Anthropic's client", claude, { shell: "ls" }, '"Bash"'],
  ["an answer by schema for Anthropic's client", claude, { json: {} }, '"StructuredOutput"'],
  ["the end for Anthropic's client", claude, { text: "Done." }, '"end_turn"'],
  ["a file for OpenAI's client", codex, WRITE, String.raw`Add File: /repo/a.txt\n+one\n+two\n***`],
  ["a command for OpenAI's client", codex, { shell: "ls" }, '"exec_command"'],
  ["an answer by schema for OpenAI's client", codex, { json: {} }, '"text":"{}"'],
  ["the end for OpenAI's client", codex, { text: "Done." }, '"output_text"'],
] as const)("puts %s in its own words", ([, conversation, turn, words]) => {
  expect(JSON.stringify(eventsOf(turn, conversation))).toContain(words);
});

const PRICE = { input: 3, cached: 0.3, output: 15 };

test("bills what both APIs say that an answer has used", () => {
  const usd = (input: number, cached: number, output: number): number =>
    (input * PRICE.input + cached * PRICE.cached + output * PRICE.output) / 1e6;
  const [, , , , delta] = eventsOf({ text: "Done." }, claude);
  const said = delta?.["usage"] as Readonly<Record<string, number>>;
  const { input_tokens = 0, cache_read_input_tokens = 0, output_tokens = 0 } = said;
  expect(usd(input_tokens, cache_read_input_tokens, output_tokens)).toBe(answerUsd(PRICE));

  const completed = eventsOf({ text: "Done." }, codex).at(-1) as unknown as {
    response: {
      usage: {
        input_tokens: number;
        output_tokens: number;
        input_tokens_details: { cached_tokens: number };
      };
    };
  };
  const { usage } = completed.response;
  const cached = usage.input_tokens_details.cached_tokens;
  expect(usd(usage.input_tokens - cached, cached, usage.output_tokens)).toBe(answerUsd(PRICE));
});

test.for([
  ["anthropic", "/v1/messages?beta=true", ANTHROPIC, anthropicConversation],
  ["openai", "/v1/responses", OPENAI, openAiConversation],
] as const)("answers %s in a stream, and remembers what for", async (row) => {
  const [api, path, body, conversationOf] = row;
  const steps: string[] = [];
  const wire = realWire(api, {
    price: PRICE,
    workOf: () => "coder 1",
    turnOf: ({ step }) => ({ text: `After ${step}` }),
    turnIdOf: (account) => `${account}.1`,
    normalise: (prompts) => prompts.replace("Write", "Read"),
  });
  const server = await startModelServer([wire], async (account, step, { key }) => {
    steps.push(`${account} ${step} ${key}`);
  });
  onTestFinished(() => server.close());
  const ask = (to: string): Promise<Response> =>
    fetch(`${server.urlOf("trial")}${to}`, { method: "POST", body: JSON.stringify(body) });

  const events = eventsOf({ text: "After 2" }, conversationOf(body));
  const types = events.map(({ type }) => `event: ${type}`);
  const sent = await (await ask(path)).text();
  expect(sent.split("\n").filter((line) => line.startsWith("event: "))).toEqual(types);
  expect(sent).toContain("After 2");
  expect(server.requestsOf("trial")).toEqual([
    {
      work: "coder 1",
      key: "coder 1, step 2",
      turnId: "trial.1",
      sha256: createHash("sha256").update("Read it\nContinue").digest("hex"),
      costUsd: answerUsd(PRICE),
    },
  ]);
  expect((await ask("/v1/other")).status).toBe(404);
  await expect
    .poll(() => steps)
    .toEqual(["trial asked coder 1, step 2", "trial answered coder 1, step 2"]);
  expect(server.requestsOf("trial")).toHaveLength(1);
});
