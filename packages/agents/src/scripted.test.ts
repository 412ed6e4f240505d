import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aListener, aRequest, containing } from "../test/request.ts";
import { parseAgentScript, type ScriptedTurn } from "./agent-script.ts";
import { createScriptedAgent } from "./scripted.ts";

const turns: readonly ScriptedTurn[] = [
  { role: "coder", match: "issues:.*no test", text: "second" },
  {
    role: "coder",
    says: ["one", "two"],
    files: { "src/hello.txt": "hello\n" },
    text: "first",
    costUsd: 0.04,
  },
  { role: "reviewer", text: "APPROVED: fine" },
];

test("says, writes, answers and reports what it cost", async () => {
  const request = aRequest();
  const { events, onEvent } = aListener();
  const result = await createScriptedAgent({ turns }).invoke(request, { onEvent });
  expect(result).toMatchObject({ text: "first", costUsd: 0.04, costSource: "reported" });
  expect(result.failure).toBeUndefined();
  expect(readFileSync(join(request.workTree, "src/hello.txt"), "utf8")).toBe("hello\n");
  expect(events).toEqual([
    { type: "text", text: "one" },
    { type: "usage", costUsd: 0.02 },
    { type: "text", text: "two" },
    { type: "usage", costUsd: 0.04 },
    { type: "tool", name: "write", detail: "src/hello.txt" },
  ]);
});

test.for([
  ["coder", "these issues:\n1. no test", "second"],
  ["coder", "anything else", "first"],
  ["reviewer", "these issues:\n1. no test", "APPROVED: fine"],
] as const)("answers the %s asked %j with %j, each time", async ([role, prompt, text]) => {
  const agent = createScriptedAgent({ turns });
  expect(await agent.invoke(aRequest({ role, prompt }))).toMatchObject({ text });
  expect(await agent.invoke(aRequest({ role, prompt }))).toMatchObject({ text });
});

test("fails for a prompt that the script does not foresee", async () => {
  const agent = createScriptedAgent({ turns: [{ role: "reviewer" }] });
  const { failure } = await agent.invoke(aRequest());
  expect(failure).toMatchObject({ kind: "usage", message: containing("no turn") });
});

test("fails as the script says, with what it cost", async () => {
  const retryAt = "2026-11-21T03:00:00.000Z";
  const failure = { kind: "rate-limit", message: "slow down", retryAt } as const;
  const agent = createScriptedAgent({ turns: [{ role: "coder", costUsd: 0.5, failure }] });
  expect(await agent.invoke(aRequest())).toMatchObject({
    failure: { ...failure, retryable: true },
    costUsd: 0.5,
  });
});

test("ends without a result at an exit code of the script", async () => {
  const agent = createScriptedAgent({ turns: [{ role: "coder", exitCode: 3 }] });
  expect(await agent.invoke(aRequest())).toMatchObject({
    failure: { kind: "unknown", message: "The scripted agent exited with 3" },
    costSource: "partial",
  });
});

test("is stopped when it costs more than it may", async () => {
  const says = Array.from({ length: 600 }, () => "word");
  // A word in a fifth of a second, so that what is more than a minute late costs too much.
  const turn: ScriptedTurn = { role: "coder", says, costUsd: 0.2, delayMs: 120_000 };
  const agent = createScriptedAgent({ turns: [turn] });
  const result = await agent.invoke(aRequest({ maxCostUsd: 0.0005 }));
  expect(result).toMatchObject({ failure: { kind: "budget" }, costSource: "partial" });
  expect(result.costUsd).toBeLessThan(0.1);
});

test("is cancelled by the signal, with what it cost until then", async () => {
  const turn: ScriptedTurn = { role: "coder", says: ["a", "b"], costUsd: 2, delayMs: 3_600_000 };
  const controller = new AbortController();
  const result = await createScriptedAgent({ turns: [turn] }).invoke(aRequest(), {
    signal: controller.signal,
    onEvent: () => controller.abort(),
  });
  expect(result).toMatchObject({ failure: { kind: "cancelled" }, costSource: "partial" });
});

test.for([
  ["no JSON", "{", "it is not JSON"],
  ["no turns", "{}", "turns"],
  ["an unknown key", '{"turns":[{"role":"coder","say":"x"}]}', "say"],
  ["a path that leaves the tree", '{"turns":[{"role":"coder","files":{"../x":""}}]}', "work tree"],
  ["an absolute path", '{"turns":[{"role":"coder","files":{"/x":""}}]}', "work tree"],
  ["a broken pattern", '{"turns":[{"role":"coder","match":"("}]}', "regular expression"],
  ["a cost below 0", '{"turns":[{"role":"coder","costUsd":-1}]}', "costUsd"],
] as const)("refuses a script with %s", ([, text, message]) => {
  expect(() => parseAgentScript(text)).toThrow(
    expect.objectContaining({
      name: "AgentsError",
      code: "ERR_INVALID_SCRIPT",
      message: containing(message),
    }),
  );
});
