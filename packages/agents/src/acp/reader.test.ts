import { expect, test } from "vitest";
import { aSample } from "../../test/program.ts";
import { aListener, aRequest } from "../../test/request.ts";
import { type AcpAgentOptions, acpAdapter } from "../acp.ts";
import type { AgentRequest, AgentResult } from "../agent.ts";
import type { ChildOutcome } from "../child.ts";
import { MAX_TEXT } from "./reader.ts";

const ENDED: ChildOutcome = {
  started: true,
  exitCode: 0,
  exitSignal: null,
  stderrTail: "",
  durationMs: 1,
  orphansEnded: 0,
};

const WORK_TREE = "/home/dev/repo";

interface Read {
  readonly options?: Partial<AcpAgentOptions>;
  readonly request?: Partial<AgentRequest>;
  readonly outcome?: Partial<ChildOutcome>;
  readonly context?: object;
}

/** What is made of lines. */
function read(
  lines: readonly (string | object)[],
  { options, request, outcome, context }: Read = {},
) {
  const { events, onEvent } = aListener();
  const adapter = acpAdapter({
    name: "fake",
    title: "The fake",
    file: "fake",
    ...options,
  } as AcpAgentOptions);
  const asked = aRequest({ runId: "run", workTree: WORK_TREE, ...request });
  const kept =
    context === undefined ? undefined : { protocol: "acp", titleIsCommand: false, ...context };
  const reader = adapter.open(asked, kept, onEvent);
  reader.read(lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))));
  const result: AgentResult = reader.result({ ...ENDED, ...outcome });
  return { events, result, known: reader.known() };
}

const GEMINI = aSample("gemini-0.61.0.acp.jsonl");
const COPILOT = aSample("copilot-1.0.102.acp.jsonl");
const REFUSED = aSample("copilot-1.0.102-401.acp.jsonl");
const LOADED = aSample("opencode-1.18.33-loaded.acp.jsonl");
const LOADED_ID = "ses_dfc0068bfffeJb6hRsb5hoCgEB";

const PRICES = {
  "gemini-2.5-pro": { input: 1, output: 10 },
  "gpt-x": { input: 1, output: 10, cacheRead: 0.1 },
};

test("reads a turn of Gemini CLI, whose tokens have models", () => {
  const { events, result } = read(GEMINI, {
    options: { titleIsCommand: true, prices: PRICES },
  });
  expect(events).toEqual([
    { type: "session", sessionId: "b1cacb22-1a0f-45d7-a0f5-db7043ed0404" },
    { type: "text", text: "Writing." },
    { type: "tool", name: "Edit", detail: "hello.txt" },
    { type: "tool", name: "Bash", detail: "cat hello.txt && git status --short" },
    { type: "text", text: "FINAL-ANSWER done" },
  ]);
  expect(result).toEqual({
    text: "FINAL-ANSWER done",
    sessionId: "b1cacb22-1a0f-45d7-a0f5-db7043ed0404",
    agentVersion: "0.61.0",
    costUsd: 0.0055,
    costSource: "computed",
    durationMs: 1,
  });
});

test("reads a turn of Copilot, which counts what came from a cache among the input", () => {
  const { events, result } = read(COPILOT, { options: { model: "gpt-x", prices: PRICES } });
  expect(events.map(({ type }) => type)).toEqual(["session", "text", "tool", "tool", "text"]);
  expect(events[3]).toEqual({
    type: "tool",
    name: "Bash",
    detail: "cat hello.txt && git status --short",
  });
  expect(result).toMatchObject({ text: "FINAL-ANSWER done", costSource: "computed" });
  expect(result.costUsd).toBeCloseTo((1300 + 320 + 1000) / 1e6, 9);
});

test("does not know what tokens of a model without a price cost", () => {
  expect(read(COPILOT).result).toMatchObject({ costSource: "unknown" });
});

const ERROR_TEXT = /(?:^|\.\.\.)Error: (.+)/s;

test("takes what an agent tells of an error for an error where it is known to tell it as an answer", () => {
  const { result } = read(REFUSED, { options: { errorText: ERROR_TEXT } });
  expect(result).toMatchObject({ failure: { kind: "auth", retryable: false }, costUsd: 0 });
  expect(result.failure?.message).toMatch(/^The fake: Authentication failed with provider/);
  expect(read(REFUSED).result.failure).toBeUndefined();
  expect(read(COPILOT, { options: { errorText: /(FINAL)/ } }).result.failure).toBeUndefined();
});

const resumed = { resumesSession: true, sessionId: LOADED_ID } as const;

test("takes nothing that a loaded session tells again for the turn's", () => {
  const { events, result } = read(LOADED, { request: resumed });
  expect(events).toEqual([
    { type: "session", sessionId: LOADED_ID },
    { type: "text", text: "AGAIN-ANSWER" },
  ]);
  // What the whole session has cost is all that is known, and more than the turn has.
  expect(result).toMatchObject({ text: "AGAIN-ANSWER", costSource: "unknown" });
  expect(result.unknownUsd).toBeCloseTo(0.01152, 9);
});

test("counts what a session has cost less what it had cost before", () => {
  const { events, result } = read(LOADED, { request: resumed, context: { beforeUsd: 0.00894 } });
  expect(result.costSource).toBe("reported");
  expect(result.costUsd).toBeCloseTo(0.00258, 9);
  expect(events).toContainEqual({ type: "usage", costUsd: result.costUsd });
});

test.for([
  [1, { costUsd: 0, costSource: "computed" }],
  [4, { costUsd: 0, costSource: "computed" }],
  [5, { costSource: "unknown" }],
] as const)("knows of a turn that died after %i lines what it asked for", ([count, cost]) => {
  expect(read(GEMINI.slice(0, count)).known).toEqual({ ...cost, sessionId: "" });
});

test("can continue in a session once something was answered in it", () => {
  expect(read(GEMINI.slice(0, 6)).known.sessionId).toBe("b1cacb22-1a0f-45d7-a0f5-db7043ed0404");
  expect(read([], { request: resumed }).known.sessionId).toBe(LOADED_ID);
});

const asked = (id: number, method: string) => ({ sent: { id, method } });
const answered = (id: number, result: object) => ({ jsonrpc: "2.0", id, result });
const BEGUN = [
  asked(0, "initialize"),
  answered(0, { protocolVersion: 1, agentCapabilities: { loadSession: true } }),
  asked(1, "session/new"),
  answered(1, { sessionId: "s-1" }),
  asked(2, "session/prompt"),
];
const refused = (id: number, error: object) => ({ jsonrpc: "2.0", id, error });

test.for([
  [{ code: 401, message: '{"error":{"message":"invalid key"}}' }, "auth"],
  [
    { code: -32603, message: "Internal error: invalid key", data: { errorName: "APIError" } },
    "auth",
  ],
  [{ code: -32603, message: "Internal error", data: { details: "401 {}" } }, "auth"],
  [{ code: 400, message: '{"error":{"code":400,"message":"API key not valid."}}' }, "auth"],
  [{ code: -32000, message: "Authentication required" }, "auth"],
  [{ code: 429, message: "slow down" }, "rate-limit"],
  [{ code: -32603, message: "Rate limit reached" }, "rate-limit"],
  [{ code: -32603, message: "HTTP 503" }, "overloaded"],
  [{ code: -32603, message: "prompt is too long: 200001 tokens" }, "context-overflow"],
  [{ code: -32603, message: "fetch failed" }, "network"],
  [{ code: -32603, message: "You exceeded your current quota (insufficient_quota)" }, "billing"],
  [
    {
      code: 429,
      message: "You exceeded your current quota, please check your plan and billing details.",
    },
    "rate-limit",
  ],
  [{ code: 429, message: "Resource has been exhausted (e.g. check quota)." }, "rate-limit"],
  [{ code: -32603, message: "boom" }, "unknown"],
] as const)("reads the failure of %j", ([error, kind]) => {
  const { result } = read([...BEGUN, refused(2, error)]);
  expect(result.failure?.kind).toBe(kind);
  expect(result.text).toBe("");
});

test.for([
  ["retry-after: 7200", "2026-11-26T14:00:00.000Z"],
  ['{"retryDelay":"37s"}', "2026-11-26T12:00:37.000Z"],
  ["try again in 2m", "2026-11-26T12:02:00.000Z"],
] as const)("learns from %j when a limit is lifted", ([data, retryAt]) => {
  const { result } = read([...BEGUN, refused(2, { code: 429, message: "slow down", data })], {
    outcome: { endedAt: "2026-11-26T12:00:00.000Z" },
  });
  expect(result.failure).toMatchObject({ kind: "rate-limit", retryAt });
});

test.for([
  ["max_tokens", "context-overflow"],
  ["max_turn_requests", "turn-limit"],
  ["refusal", "refusal"],
  ["cancelled", "cancelled"],
  ["something_new", "bad-output"],
  ["end_turn", "empty-answer"],
] as const)("reads a turn that ended by %s with nothing", ([stopReason, kind]) => {
  expect(read([...BEGUN, answered(2, { stopReason })]).result.failure?.kind).toBe(kind);
});

const update = (change: object) => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: "s-1", update: change },
});
const tool = (change: object) => update({ sessionUpdate: "tool_call", toolCallId: "t", ...change });
const END = answered(2, { stopReason: "end_turn" });

test("needs no words of a coder that has worked, but of a reviewer", () => {
  const lines = [...BEGUN, tool({ kind: "edit", status: "completed" }), END];
  expect(read(lines).result.failure).toBeUndefined();
  const review = read(lines, { request: { role: "reviewer", access: "read" } });
  expect(review.result.failure?.kind).toBe("empty-answer");
});

test("tells a tool once, when it is known what it is for", () => {
  const command = { rawInput: { command: "make" } };
  const { events } = read([
    ...BEGUN,
    tool({ kind: "execute", title: "bash", status: "pending", rawInput: {} }),
    tool({ sessionUpdate: "tool_call_update", status: "in_progress", ...command }),
    tool({ sessionUpdate: "tool_call_update", status: "completed", ...command }),
    tool({ toolCallId: "u", title: "Ask\u001b[31m\nsomebody", status: "completed" }),
  ]);
  expect(events.slice(1)).toEqual([
    { type: "tool", name: "Bash", detail: "make" },
    { type: "tool", name: "other", detail: "Ask somebody" },
  ]);
});

test("ends a tool's text when a tool is used: the answer is what is said last", () => {
  const say = (text: string) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  const { result } = read([...BEGUN, say("First "), tool({}), say("Las"), say("t."), END]);
  expect(result.text).toBe("Last.");
});

test("reads past whatever else there is", () => {
  const noise = [
    "",
    "Loading …",
    "{",
    "null",
    "[]",
    '{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn"}}',
    '{"jsonrpc":"2.0","id":null,"result":null}',
    '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":7}}}',
    '{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}',
    '{"sent":null}',
    '{"sent":{"id":{},"result":1}}',
  ];
  const { events, result } = read([
    ...noise,
    ...BEGUN,
    ...noise,
    tool({ kind: 7, status: 8 }),
    END,
  ]);
  expect(events).toEqual([{ type: "session", sessionId: "s-1" }]);
  expect(result.failure?.kind).toBe("empty-answer");
});

test("does not take the beginning of a review for the whole", () => {
  const say = (text: string) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  const half = "x".repeat(MAX_TEXT / 2 + 1);
  const lines = [...BEGUN, say(half), say(half), END];
  const review = { request: { role: "reviewer", access: "read" } } as const;
  expect(read(lines, review).result.failure?.kind).toBe("output-too-large");
  expect(read(lines).result.failure).toBeUndefined();
});

test.for(["", "two words", "x".repeat(257), 7])("keeps no session %j", (sessionId) => {
  const lines = BEGUN.with(3, answered(1, { sessionId }));
  const { result, events } = read([...lines, tool({ status: "completed" }), END]);
  expect(result).not.toHaveProperty("sessionId");
  expect(events.map(({ type }) => type)).not.toContain("session");
});

test("says which version of the protocol is none that it knows", () => {
  const lines = [asked(0, "initialize"), answered(0, { protocolVersion: 2 })];
  expect(read(lines).result.failure).toMatchObject({
    kind: "usage",
    message: "The fake speaks version 2 of its protocol, not 1.",
  });
});

test.for([
  ["that it cannot load", [answered(0, { protocolVersion: 1, agentCapabilities: {} })]],
  [
    "that it does not know",
    [
      answered(0, { protocolVersion: 1, agentCapabilities: { loadSession: true } }),
      asked(1, "session/load"),
      refused(1, { code: -32603, message: "Internal error", data: { details: "ENOENT" } }),
    ],
  ],
] as const)("misses a session %s, at no cost", ([, lines]) => {
  const { result } = read([asked(0, "initialize"), ...lines], { request: resumed });
  expect(result).toMatchObject({ failure: { kind: "session-missing" }, costUsd: 0 });
  expect(result).not.toHaveProperty("sessionId");
});

test("forgets what was refused before a login", () => {
  const { result } = read([
    ...BEGUN.slice(0, 3),
    refused(1, { code: -32000, message: "Authentication required" }),
    asked(2, "authenticate"),
    answered(2, {}),
    asked(3, "session/new"),
    answered(3, { sessionId: "s-1" }),
    asked(4, "session/prompt"),
    tool({ status: "completed" }),
    answered(4, { stopReason: "end_turn" }),
  ]);
  expect(result.failure).toBeUndefined();
  expect(result.sessionId).toBe("s-1");
});

test("tells what was denied, each once", () => {
  const options = [
    { optionId: "y", kind: "allow_once" },
    { optionId: "n", kind: "reject_once" },
  ];
  const asks = (id: number, command: string) => ({
    jsonrpc: "2.0",
    id,
    method: "session/request_permission",
    params: { toolCall: { toolCallId: `t${id}`, kind: "execute", rawInput: { command } }, options },
  });
  const decides = (id: number, outcome: object) => ({ sent: { id, result: { outcome } } });
  const no = { outcome: "selected", optionId: "n" };
  const { events, result } = read([
    ...BEGUN,
    ...[asks(0, "npm test"), decides(0, no)],
    ...[asks(1, "npm test"), decides(1, { outcome: "cancelled" })],
    ...[asks(2, "git status"), decides(2, { outcome: "selected", optionId: "y" })],
    END,
  ]);
  expect(result.denials).toEqual([{ what: "npm test", allow: ["Bash(npm test *)"] }]);
  expect(events.filter(({ type }) => type === "denied")).toHaveLength(1);
  expect(result.failure).toBeUndefined();
});
