import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { aProgramThatPrints, aSample, aShellScript } from "../test/program.ts";
import { aDirectory, aListener, aRequest } from "../test/request.ts";
import { createCodexAgent } from "./codex.ts";
import { retryAtOf } from "./codex/retry-at.ts";

const GOOD = "codex-0.169.0.exec.jsonl";
const SCHEMA = { type: "object" };

/** A turn that failed, in Codex's words. */
const failed = (message: string) => [
  JSON.stringify({ type: "thread.started", thread_id: "t1" }),
  JSON.stringify({ type: "turn.failed", error: { message } }),
];

test("reports text, tools and thread", async () => {
  const { events, onEvent } = aListener();
  const agent = createCodexAgent({ file: aProgramThatPrints(aSample(GOOD)), model: "gpt-5.5" });
  const result = await agent.invoke(aRequest(), { onEvent });
  expect(result).toMatchObject({
    text: "Done: hello.txt written and committed.",
    sessionId: "01a1fb6f-1363-7543-b5c0-1e7ec6d623bf",
    costSource: "computed",
  });
  expect(result.failure).toBeUndefined();
  // 1300 tokens of input, 3200 cached, 100 of output at 5, 0.5 and 30 dollars for a million
  expect(result.costUsd).toBeCloseTo(0.0111, 6);
  expect(events.map(({ type }) => type)).toEqual(["session", "text", "tool", "tool", "text"]);
});

test("does not take an unknown model's cost for zero", async () => {
  const agent = createCodexAgent({ file: aProgramThatPrints(aSample(GOOD)), model: "gpt-99" });
  const result = await agent.invoke(aRequest());
  expect(result.costSource).toBe("unknown");
  expect(result.costUsd).toBeUndefined();
});

test.for([
  ["a rate limit", "codex-F-429.jsonl", "rate-limit"],
  ["a usage limit", "codex-F-USAGE.jsonl", "rate-limit"],
  ["a full context", "codex-F-CTX.jsonl", "context-overflow"],
] as const)("tells %s, as it was recorded, from success", async ([, name, kind]) => {
  const file = aProgramThatPrints(aSample(name), 1);
  expect((await createCodexAgent({ file }).invoke(aRequest())).failure?.kind).toBe(kind);
});

test("tells when a usage limit is lifted, from Codex's words", async () => {
  const file = aProgramThatPrints(aSample("codex-F-USAGE.jsonl"), 1);
  const { failure } = await createCodexAgent({ file }).invoke(aRequest());
  const retryAt = new Date(failure?.retryAt ?? "");
  expect([retryAt.getHours(), retryAt.getMinutes()]).toEqual([3, 0]);
  const ahead = retryAt.getTime() - Date.now();
  expect(ahead).toBeGreaterThan(0);
  expect(ahead).toBeLessThanOrEqual(25 * 3_600_000);
});

test.for([
  ["Selected model is at capacity. Please try a different model.", "overloaded", true],
  ["We're currently experiencing high demand", "overloaded", true],
  ["exceeded retry limit, last status: 500 Internal Server Error", "overloaded", true],
  ["unexpected status 401 Unauthorized: Incorrect API key provided", "auth", false],
  ["Missing environment variable: `STUB_API_KEY`.", "auth", false],
  [
    "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
    "refusal",
    false,
  ],
  ["Quota exceeded. Check your plan and billing details.", "billing", false],
  ["stream disconnected before completion: error sending request", "network", true],
  [
    "Input exceeds the maximum length of 1048576 characters. input_too_large",
    "prompt-too-large",
    false,
  ],
  ["The model `x` does not exist", "usage", false],
  ["the moon is in the wrong phase", "unknown", false],
] as const)("reads %j as %s", async ([message, kind, retryable]) => {
  const file = aProgramThatPrints(failed(message), 1);
  const { failure } = await createCodexAgent({ file }).invoke(aRequest());
  expect(failure).toMatchObject({ kind, retryable });
});

test.for([
  ["prose where a schema was asked for", { outputSchema: SCHEMA }, aSample(GOOD), "schema"],
  [
    "an empty answer of a reviewer",
    { role: "reviewer" },
    ['{"type":"turn.completed"}'],
    "empty-answer",
  ],
  ["an end without a word", {}, ['{"type":"turn.started"}', "noise"], "bad-output"],
] as const)("calls %s a failure, whatever the exit code says", async ([, change, lines, kind]) => {
  const agent = createCodexAgent({ file: aProgramThatPrints(lines) });
  expect((await agent.invoke(aRequest(change))).failure?.kind).toBe(kind);
});

test("hands the schema over in a file of its own and takes the structured answer", async () => {
  const answer = { type: "agent_message", text: '{"verdict":"approved"}' };
  const seen = join(aDirectory(), "seen");
  const temporary = aDirectory();
  const file = aShellScript(
    `while [ "$1" != --output-schema ]; do shift; done; cat "$2" > '${seen}'
     cat <<'END'
${JSON.stringify({ type: "item.completed", item: answer })}
{"type":"turn.completed","usage":{}}
END`,
  );
  const request = aRequest({ outputSchema: SCHEMA });
  vi.stubEnv("TMPDIR", temporary);
  const result = await createCodexAgent({ file }).invoke(request);
  expect(result.structured).toEqual({ verdict: "approved" });
  expect(result.failure).toBeUndefined();
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^quasar-caches-\d+$/u)]);
  vi.unstubAllEnvs();
  expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual(SCHEMA);
});

test("reads from Codex's own record what a killed run has cost", async () => {
  const home = aDirectory();
  const day = join(home, "sessions/2026/11/21");
  mkdirSync(day, { recursive: true });
  const records = [
    { type: "turn_context", payload: { model: "gpt-5.5" } },
    { type: "token_usage_record", payload: { thread_token_usage: { input_tokens: 1000 } } },
    {
      type: "token_usage_record",
      payload: {
        thread_token_usage: { input_tokens: 2000, cached_input_tokens: 1000, output_tokens: 100 },
      },
    },
  ];
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(day, "rollout-2026-11-21T03-13-04-t1.jsonl"), `${text}{"type":"token_us`);
  const file = aShellScript(`echo '{"type":"thread.started","thread_id":"t1"}'; kill -9 $$`);
  const result = await createCodexAgent({ file, env: { CODEX_HOME: home, PATH: "/bin" } }).invoke(
    aRequest(),
  );
  expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo(0.0085, 6);
});

test("knows that a turn which failed before any answer has cost nothing", async () => {
  const home = aDirectory();
  mkdirSync(join(home, "sessions"));
  const record = { type: "turn_context", payload: { model: "gpt-5.5" } };
  writeFileSync(join(home, "sessions/rollout-x-t1.jsonl"), `${JSON.stringify(record)}\n`);
  const file = aProgramThatPrints(failed("last status: 429 Too Many Requests"), 1);
  const agent = createCodexAgent({ file, env: { CODEX_HOME: home, PATH: "/bin" } });
  expect(await agent.invoke(aRequest())).toMatchObject({ costUsd: 0, costSource: "computed" });
});

test.for([
  ["try again in 2s.", "2026-11-21T01:00:02"],
  ["try again in 1 hour 30 minutes", "2026-11-21T02:30:00"],
  ["try again in 250ms", "2026-11-21T01:00:00.250"],
  ["or try again at 3:00 AM.", "2026-11-21T03:00:00"],
  ["or try again at 12:30 AM.", "2026-11-22T00:30:00"],
  ["try again at Nov 25th, 2026 4:05 PM.", "2026-11-25T16:05:00"],
  ["try again later", undefined],
] as const)("reads when to come back from %j", ([text, expected]) => {
  const now = new Date("2026-11-21T01:00:00");
  expect(retryAtOf(text, now)).toEqual(expected && new Date(expected));
});
