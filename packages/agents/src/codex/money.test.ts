import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDirectory, aRequest } from "../../test/request.ts";
import { createCodexAgent } from "../codex.ts";

const boundOf = (model: string | undefined, prompt: string): number | undefined => {
  const agent = createCodexAgent({ model, env: { CODEX_HOME: aDirectory() } });
  return agent.responseBoundUsd?.(aRequest({ prompt }));
};

test("bounds a response by 32,000 tokens of output, which Codex cannot be held to", () => {
  // 20,000 tokens of its own, 27 bytes of ours, at the price of input and output.
  expect(boundOf("gpt-5.5", "Say hello.")).toBeCloseTo((20_040 * 5 + 32_000 * 30) / 1e6, 2);
});

test("bounds the first response in a thread by what its last one was sent and said", () => {
  const home = aDirectory();
  const thread = "01a1fcec-cada-7722-8cce-2902840d0679";
  const day = join(home, "sessions/2026/11/21");
  mkdirSync(day, { recursive: true });
  const usage = { input_tokens: 90_000, output_tokens: 10_000 };
  const payload = { usage, thread_token_usage: usage };
  const record = JSON.stringify({ type: "token_usage_record", payload });
  writeFileSync(join(day, `rollout-2026-11-21T07-05-39-${thread}.jsonl`), `${record}\n`);
  const agent = createCodexAgent({ model: "gpt-5.5", env: { CODEX_HOME: home } });
  const request = aRequest({ sessionId: thread, resumesSession: true });
  const more = (agent.responseBoundUsd?.(request) ?? 0) - (boundOf("gpt-5.5", "Say hello.") ?? 0);
  expect(more).toBeCloseTo((100_000 * 5) / 1e6, 9);
});

test("has no bound for a model without a price", () => {
  expect(boundOf("gpt-99", "Say hello.")).toBeUndefined();
});
