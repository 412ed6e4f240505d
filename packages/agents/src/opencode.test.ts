import { expect, test } from "vitest";
import { aProgramThatPrints, aSample, aShellScript } from "../test/program.ts";
import { aListener, aRequest } from "../test/request.ts";
import type { AgentEvent, AgentRequest, AgentResult } from "./agent.ts";
import { createOpencodeAgent, opencodeAdapter } from "./opencode.ts";
import { retryAtOf } from "./opencode/outcome.ts";

const GOOD = "opencode-1.18.33.stream.jsonl";
const MODEL = "anthropic/claude-sonnet-4-5";
const SESSION = "ses_e046d505fffesXNW30ykKV3rab";
const env = { PATH: process.env["PATH"], HOME: "/nowhere" };

interface Ran {
  readonly exitCode?: number;
  readonly model?: string;
  readonly request?: Partial<AgentRequest>;
  readonly onEvent?: (event: AgentEvent) => void;
}

/** What is made of an OpenCode that printed these lines and ended by itself. */
function resultOf(lines: readonly string[], ran: Ran = {}): AgentResult {
  const { exitCode = 0, model = MODEL, request = {}, onEvent = () => undefined } = ran;
  const asked = { runId: "run", workTree: "/home/dev/repo", ...request };
  const reader = opencodeAdapter({ model, env }).open(aRequest(asked), KEPT, onEvent);
  reader.read(lines);
  const ended = { started: true, exitCode, exitSignal: null, orphansEnded: 0 };
  return reader.result({ ...ended, stderrTail: "", durationMs: 1 });
}

const KEPT = { firstPrompt: 20_000 };

/** An event of that session. */
const said = (type: string, more: object): string =>
  JSON.stringify({ type, timestamp: 1_795_222_066_501, sessionID: SESSION, ...more });

/** A whole response, as OpenCode tells of it. */
const response = (reason: string, text: string, cost: number = 0.01): readonly string[] => [
  said("step_start", { part: { type: "step-start" } }),
  ...(text === "" ? [] : [said("text", { part: { text } })]),
  said("step_finish", { part: { reason, cost, tokens: { input: 1000, output: 100 } } }),
];

const anError = (error: object): string => said("error", { error });

test("reports text, tools, session and the dollars of each response", async () => {
  const { events, onEvent } = aListener();
  const file = aProgramThatPrints(aSample(GOOD));
  const result = await createOpencodeAgent({ file, env }).invoke(aRequest(), { onEvent });
  expect(result).toMatchObject({
    text: "Done: hello.txt written and committed.",
    sessionId: SESSION,
    costSource: "reported",
  });
  expect(result.failure).toBeUndefined();
  expect(result.costUsd).toBeCloseTo(0.008235, 9);
  const [first, ...others] = events.map(({ type }) => type);
  expect(first).toBe("session");
  expect(others).toEqual(["text", "tool", "usage", "tool", "usage", "text", "usage"]);
  expect(events.filter(({ type }) => type === "tool")).toEqual([
    { type: "tool", name: "Write", detail: "/home/dev/repo/hello.txt" },
    {
      type: "tool",
      name: "Bash",
      detail: "git add -A && git commit -qm 'add hello' && git rev-parse HEAD",
    },
  ]);
});

test.for([
  ["a wrong key", "opencode-F-401.jsonl", "auth", false],
  ["an overloaded server", "opencode-F-529.jsonl", "overloaded", true],
  ["a full context", "opencode-F-CTX.jsonl", "context-overflow", false],
  ["a lack of credit", "opencode-F-CREDIT.jsonl", "billing", false],
] as const)(
  "tells %s, as it was recorded, from success, at no cost",
  ([, name, kind, retryable]) => {
    const result = resultOf(aSample(name), { exitCode: 1 });
    expect(result).toMatchObject({ failure: { kind, retryable }, costUsd: 0 });
  },
);

test.for([
  [{ name: "APIError", data: { message: "slow down", statusCode: 429 } }, "rate-limit"],
  [{ name: "APIError", data: { message: "model: claude-x", statusCode: 404 } }, "usage"],
  [{ name: "APIError", data: { message: "Cannot connect to API", isRetryable: true } }, "network"],
  [{ name: "APIError", data: { message: "Anything", isRetryable: true } }, "network"],
  [{ name: "ProviderAuthError", data: { message: "no key" } }, "auth"],
  [{ name: "UnknownError", data: { message: "socket hang up" } }, "network"],
  [{ name: "UnknownError", data: { message: "Unexpected server error." } }, "unknown"],
  [{ name: "__proto__", message: "the moon is in the wrong phase" }, "unknown"],
] as const)("reads %j as %s", ([error, kind]) => {
  const { failure } = resultOf([anError(error)], { exitCode: 1 });
  expect(failure?.kind).toBe(kind);
});

test("says what may be meant where OpenCode does not", () => {
  const error = { name: "UnknownError", data: { message: "Unexpected server error. Check logs." } };
  const { failure } = resultOf([anError(error)], { exitCode: 1 });
  expect(failure?.message).toMatch(/^OpenCode: Unexpected .* see opencode models\.$/);
});

test("tells when a limit is lifted, from when it was said", () => {
  const responseHeaders = { "retry-after": "7200" };
  const data = { message: "slow down", statusCode: 429, responseHeaders };
  const { failure } = resultOf([anError({ name: "APIError", data })], { exitCode: 1 });
  const retryAt = new Date(1_795_222_066_501 + 7_200_000).toISOString();
  expect(failure).toMatchObject({ kind: "rate-limit", retryable: true, retryAt });
});

test.for([
  [{ "retry-after": "2" }, "2026-11-21T01:00:02Z"],
  [{ "retry-after": "Sat, 21 Nov 2026 03:00:00 GMT" }, "2026-11-21T03:00:00Z"],
  [{ "retry-after": "2", "retry-after-ms": "250" }, "2026-11-21T01:00:00.250Z"],
  [{ "retry-after": "later" }, undefined],
  [{}, undefined],
] as const)("reads when to come back from %j", ([headers, expected]) => {
  const at = retryAtOf(headers, new Date("2026-11-21T01:00:00Z"));
  expect(at).toEqual(expected && new Date(expected));
});

test.for([
  ["an empty answer of a reviewer", { role: "reviewer" }, response("stop", ""), "empty-answer"],
  ["an empty answer of who did nothing", {}, response("stop", ""), "empty-answer"],
  ["an end before the last response", {}, response("tool-calls", "Wait."), "bad-output"],
  ["an end without a word", {}, ["noise"], "bad-output"],
  ["an answer that was filtered", {}, response("content-filter", ""), "refusal"],
] as const)("calls %s a failure, whatever the exit code says", ([, request, lines, kind]) => {
  expect(resultOf(lines, { request }).failure?.kind).toBe(kind);
});

test("takes only what the last response said for the answer", () => {
  const lines = [...response("tool-calls", "First."), ...response("stop", "Second.")];
  expect(resultOf(lines).text).toBe("Second.");
});

test("an error that was overcome is none", () => {
  const lines = [...aSample("opencode-F-CTX.jsonl"), ...response("stop", "Done.")];
  const result = resultOf(lines);
  expect(result).toMatchObject({ text: "Done.", costSource: "reported" });
  expect(result.failure).toBeUndefined();
});

test.for([
  ["its tokens by the list where OpenCode has no price", MODEL, "computed", 0.0045],
  ["nothing for zero where nobody has one", "acme/new-9", "unknown", undefined],
] as const)("counts %s", ([, model, costSource, costUsd]) => {
  const { events, onEvent } = aListener();
  const ran = { model, onEvent, request: { maxCostUsd: 1 } };
  const result = resultOf(response("stop", "Done.", 0), ran);
  expect(result.costSource).toBe(costSource);
  expect(result.costUsd).toBe(costUsd);
  const unpriced = { type: "unpriced", model, maxTokens: 200_000 };
  expect(events.filter(({ type }) => type === "unpriced")).toEqual(
    costUsd === undefined ? [unpriced] : [],
  );
});

test("counts by the user's own price before OpenCode's", async () => {
  const file = aProgramThatPrints(response("stop", "Done."));
  const prices = { "claude-sonnet-4-5": { input: 1, output: 10 } };
  const result = await createOpencodeAgent({ file, model: MODEL, env, prices }).invoke(aRequest());
  expect(result).toMatchObject({ costUsd: 0.002, costSource: "computed" });
});

/** OpenCode, which says a line each 0.2 s and is in no hurry to end. */
const atWork = (lines: readonly string[]): string =>
  aShellScript(`${lines.map((line) => `echo '${line}'; sleep 0.2`).join("\n")}\nexec sleep 60`);

test.for([
  ["its money", { maxCostUsd: 0.015 }, {}, "budget"],
  ["its requests", {}, { maxRequests: 2 }, "turn-limit"],
] as const)("is stopped when %s is used up", async ([, change, options, kind]) => {
  const steps = [1, 2, 3, 4].flatMap(() => response("tool-calls", ""));
  const agent = createOpencodeAgent({ file: atWork(steps), model: MODEL, env, ...options });
  const result = await agent.invoke(aRequest(change));
  expect(result).toMatchObject({ failure: { kind }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo(0.02, 9);
  expect(result.unknownUsd).toBeGreaterThan(32_000 * (15 / 1e6));
});

test("counts a response that broke off with all that it may have used", () => {
  const [start = ""] = response("stop", "");
  const lines = [start, ...response("stop", "Done.")];
  const result = resultOf(lines);
  expect(result).toMatchObject({ costUsd: 0.01, costSource: "partial" });
  expect(result.unknownUsd).toBeGreaterThan(32_000 * (15 / 1e6));
});

test.for([
  ["ends by itself", "exit 1", { costUsd: 0, costSource: "computed" }],
  ["is killed, and may have asked by then", "kill -9 $$", { costUsd: 0, costSource: "partial" }],
] as const)("without a word, who %s", async ([, script, cost]) => {
  const agent = createOpencodeAgent({ file: aShellScript(script), model: MODEL, env });
  const result = await agent.invoke(aRequest());
  expect(result).toMatchObject(cost);
  expect((result.unknownUsd ?? 0) > 0).toBe(cost.costSource === "partial");
});

test("is silent while it waits for a limit to be lifted: that is a failure to try again", async () => {
  const limits = { idleTimeoutMs: 300 };
  const agent = createOpencodeAgent({ file: aShellScript("exec sleep 60"), env, limits });
  const { failure } = await agent.invoke(aRequest());
  expect(failure).toMatchObject({ kind: "timeout-idle", retryable: true });
});

test("tells once what was denied, and what would allow it", () => {
  const { events, onEvent } = aListener();
  const lines = aSample("opencode-1.18.33.denied.stream.jsonl");
  const result = resultOf([...lines.slice(0, 3), ...lines], { onEvent });
  expect(result.denials).toEqual([{ what: "touch hacked", allow: ["Bash(touch hacked *)"] }]);
  expect(result.failure).toBeUndefined();
  expect(events.filter(({ type }) => type === "denied")).toEqual([
    { type: "denied", what: "touch hacked" },
  ]);
});

const RULE = "The user has specified a rule which prevents you from using this specific tool call.";
const OUTSIDE = `${RULE} Here are some [{"permission":"external_directory","pattern":"*","action":"deny"}]`;
const MISSING =
  "Model tried to call unavailable tool 'invalid'. Available tools: glob, grep, read.";

test.for([
  ["write", { filePath: "/t/x.ts", content: "x" }, MISSING, "write /t/x.ts", ["Edit"]],
  ["webfetch", { url: "http://x/" }, MISSING, "webfetch http://x/", ["webfetch"]],
  ["read", { filePath: "/etc/hosts" }, OUTSIDE, "read /etc/hosts", ["external_directory(/etc/*)"]],
  ["bash", { command: "cd / && ls" }, OUTSIDE, "cd / && ls", ["external_directory"]],
  ["bash", { command: "make && ls" }, RULE, "make && ls", ["Bash(make *)"]],
] as const)("a denied %s %j is among the denials", ([tool, input, error, what, allow]) => {
  const state = { status: "error", input, error };
  const lines = [said("tool_use", { part: { tool, state } }), ...response("stop", "Done.")];
  const { denials } = resultOf(lines);
  expect(denials).toEqual([{ what, allow }]);
});

test("a tool that failed was not denied", () => {
  const state = { status: "error", input: { command: "make" }, error: "exit code 2" };
  const lines = [said("tool_use", { part: { tool: "bash", state } }), ...response("stop", "Done.")];
  expect(resultOf(lines).denials).toBeUndefined();
});

test("without OpenCode it says how to install it", async () => {
  const agent = createOpencodeAgent({ file: "opencode-nowhere", env });
  const { failure } = await agent.invoke(aRequest());
  expect(failure).toMatchObject({
    kind: "not-installed",
    message: expect.stringContaining("npm install -g opencode-ai"),
  });
});

test("bounds a response by what it is sent and its limit of output", () => {
  const boundOf = (model: string): number | undefined =>
    createOpencodeAgent({ model, env }).responseBoundUsd?.(aRequest());
  // 20,000 tokens of its own and those of our prompt, at the price of writing a cache, and 32,000 of output.
  expect(boundOf(MODEL)).toBeCloseTo((20_040 * 6 + 32_000 * 15) / 1e6, 1);
  expect(boundOf("acme/new-9")).toBeUndefined();
});
