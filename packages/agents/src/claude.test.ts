import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aProgramThatPrints, aSample, aShellScript } from "../test/program.ts";
import { aDirectory, aListener, aRequest, containing } from "../test/request.ts";
import { createClaudeAgent } from "./claude.ts";

const GOOD = "claude-2.1.329.stream.jsonl";
const SCHEMA = { type: "object" };

/** The good sample with other keys in its result; `undefined` takes a key away. */
function withResult(change: Readonly<Record<string, unknown>>): string[] {
  const lines = aSample(GOOD);
  const result = JSON.parse(lines.at(-1) ?? "") as object;
  return [...lines.slice(0, -1), JSON.stringify({ ...result, ...change })];
}

/** A denied tool in place of each tool that succeeded. */
const withoutSuccess = (lines: string[]) => lines.filter((line) => !line.includes("tool_result"));

const DENIED = [
  { tool_name: "Bash", tool_use_id: "t", tool_input: { command: "npm test" } },
  { tool_name: "Bash", tool_use_id: "u", tool_input: { command: "npm test" } },
];
const ERROR = { is_error: true, subtype: "success", result: "API Error" };

test("reports text, tools, session, version and the cost of the run", async () => {
  const { events, onEvent } = aListener();
  const agent = createClaudeAgent({ file: aProgramThatPrints(aSample(GOOD)) });
  const result = await agent.invoke(aRequest(), { onEvent });
  expect(result).toEqual({
    text: "Done: hello.txt written and committed.",
    sessionId: "1cb50ea6-9f02-4a2c-b90d-5dde72216e24",
    agentVersion: "2.1.329",
    costUsd: 0.01034,
    costSource: "reported",
    durationMs: result.durationMs,
    ...(process.platform === "linux" && { workIsSynced: true }),
  });
  expect(events[0]).toEqual({ type: "session", sessionId: result.sessionId });
  expect(events).toContainEqual({ type: "text", text: "Writing the file." });
  expect(events).toContainEqual({
    type: "tool",
    name: "Write",
    detail: "/home/dev/project/hello.txt",
  });
});

test.for([
  ["a rate limit", "claude-F-429.stream.jsonl", "rate-limit", undefined],
  [
    "a usage limit",
    "claude-usage-limit-oauth.stream.jsonl",
    "rate-limit",
    "2026-11-21T03:00:00.000Z",
  ],
  ["a dropped connection", "claude-F-DROP.stream.jsonl", "network", undefined],
  ["a prompt over the window", "claude-F-TOOLONG.stream.jsonl", "context-overflow", undefined],
] as const)("tells %s, as it was recorded, from success", async ([, name, kind, retryAt]) => {
  const sample = aProgramThatPrints(aSample(name), 1);
  const { failure, costUsd } = await createClaudeAgent({ file: sample }).invoke(aRequest());
  expect(failure?.kind).toBe(kind);
  expect(failure?.retryAt).toBe(retryAt);
  expect(costUsd).toBe(0);
});

test("tells a refusal, as it was recorded, from success", async () => {
  const sample = aProgramThatPrints(aSample("claude-F-REFUSAL.stream.jsonl"), 1);
  const { failure, costUsd } = await createClaudeAgent({ file: sample }).invoke(aRequest());
  expect(failure).toMatchObject({ kind: "refusal", retryable: false });
  expect(costUsd).toBeGreaterThan(0);
});

test.for([
  ["an overload", { ...ERROR, api_error_status: 529 }, 1, "overloaded", true],
  ["a server error", { ...ERROR, api_error_status: 503 }, 1, "overloaded", true],
  ["a refused key", { ...ERROR, api_error_status: 401 }, 1, "auth", false],
  ["no login", { ...ERROR, api_error_status: null, result: "Not logged in" }, 1, "auth", false],
  [
    "a lack of credit",
    { ...ERROR, api_error_status: 400, result: "Credit balance is too low" },
    1,
    "billing",
    false,
  ],
  [
    "a refusal of the model's",
    { ...ERROR, stop_reason: "refusal", api_error_status: null, result: "API Error" },
    1,
    "refusal",
    false,
  ],
  ["an unknown model", { ...ERROR, api_error_status: 404 }, 1, "usage", false],
  ["a request over the limit", { ...ERROR, api_error_status: 413 }, 1, "prompt-too-large", false],
  [
    "a prompt refused locally",
    { ...ERROR, terminal_reason: "blocking_limit" },
    1,
    "prompt-too-large",
    false,
  ],
  [
    "the budget",
    { subtype: "error_max_budget_usd", is_error: true, result: undefined },
    1,
    "budget",
    false,
  ],
  [
    "the turn limit",
    { subtype: "error_max_turns", is_error: true, result: undefined },
    1,
    "turn-limit",
    false,
  ],
  [
    "answers that never fit the schema",
    { subtype: "error_max_structured_output_retries", is_error: true },
    1,
    "schema",
    true,
  ],
  [
    "an interruption",
    { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" },
    0,
    "cancelled",
    true,
  ],
  ["a good result before exit code 1", {}, 1, "unknown", false],
] as const)("tells %s from success", async ([, change, exitCode, kind, retryable]) => {
  const file = aProgramThatPrints(withResult(change), exitCode);
  const result = await createClaudeAgent({ file }).invoke(aRequest());
  expect(result.failure).toMatchObject({ kind, retryable });
  expect(result.costUsd).toBe(0.01034);
});

test("cleans what it quotes", async () => {
  const file = aProgramThatPrints(withResult({ ...ERROR, result: "\u001b[2J\u202egone\nfar" }), 1);
  const { failure } = await createClaudeAgent({ file }).invoke(aRequest());
  expect(failure?.message).toBe("Claude Code: gone far");
});

test("keeps the text of a good result before exit code 1", async () => {
  const file = aProgramThatPrints(withResult({}), 1);
  const { text } = await createClaudeAgent({ file }).invoke(aRequest());
  expect(text).toBe("Done: hello.txt written and committed.");
});

test.for([
  ["that used other tools", withResult({ permission_denials: DENIED })],
  ["that used no other tool", withoutSuccess(withResult({ permission_denials: DENIED }))],
  ["that said nothing", withoutSuccess(withResult({ permission_denials: DENIED, result: "" }))],
] as const)("tells once what a coder was denied %s, and what allows it", async ([, lines]) => {
  const file = aProgramThatPrints([...lines]);
  const result = await createClaudeAgent({ file }).invoke(aRequest());
  expect(result.failure).toBeUndefined();
  expect(result.denials).toEqual([{ what: "npm test", allow: ["Bash(npm test *)"] }]);
});

test("allows a coder the commands of its request, and tells them to it; those of more than plain words are scripts", async () => {
  const folder = aDirectory();
  const file = aShellScript(
    `printf '%s\n' "$@" > "${folder}/args"; cat > "${folder}/prompt"; cat "${folder}"/turns/command-*.sh > "${folder}/script"`,
  );
  const commands = ["npm test", "cd web && CI=1 npm test"];
  const turnsDir = join(folder, "turns");
  const request = aRequest({ access: "write", commands, turnsDir });
  await createClaudeAgent({ file, allowedTools: ["Bash(make *)"], args: ["--x"] }).invoke(request);
  const args = readFileSync(join(folder, "args"), "utf8").split("\n");
  const prompt = readFileSync(join(folder, "prompt"), "utf8");
  const [script = ""] = /sh \S+command-[0-9a-f]{12}\.sh/u.exec(prompt) ?? [];
  expect(args).toEqual(
    expect.arrayContaining(["Bash(npm test)", "Bash(npm test *)", `Bash(${script})`, "--x"]),
  );
  expect(args).toContain(`Bash(${script} *)`);
  expect(readFileSync(join(folder, "script"), "utf8")).toBe("cd web && CI=1 npm test\n");
  expect(prompt).toContain("- npm test\n");
  expect(prompt).toContain("(which runs: cd web && CI=1 npm test)\n- Bash(make *)");
});

test("has a reviewer's commands checked by our guard, and gives it no further arguments", async () => {
  const folder = aDirectory();
  const file = aShellScript(`printf '%s\n' "$@" > "${folder}/args"; cat > "${folder}/prompt"`);
  const request = aRequest({ role: "reviewer", access: "read", commands: undefined });
  await createClaudeAgent({ file, args: ["--x"] }).invoke(request);
  const args = readFileSync(join(folder, "args"), "utf8").split("\n");
  const settings = JSON.parse(args[args.indexOf("--settings") + 1] ?? "") as {
    hooks: { PreToolUse: { matcher: string; hooks: { command: string }[] }[] };
  };
  const [hook] = settings.hooks.PreToolUse;
  expect(hook?.matcher).toBe("Bash");
  const ask = (command: string) =>
    spawnSync("sh", ["-c", hook?.hooks[0]?.command ?? ""], {
      input: JSON.stringify({ tool_input: { command } }),
    }).status;
  expect([ask("git diff HEAD"), ask("touch evil"), ask("")]).toEqual([0, 2, 2]);
  expect(args).not.toContain("--x");
});

test("lets a reviewer be denied tools", async () => {
  const file = aProgramThatPrints(withoutSuccess(withResult({ permission_denials: DENIED })));
  const request = aRequest({ role: "reviewer", access: "read" });
  expect((await createClaudeAgent({ file }).invoke(request)).failure).toBeUndefined();
});

test("calls a success without the structured answer a failure, and keeps its text", async () => {
  const file = aProgramThatPrints(aSample(GOOD));
  const request = aRequest({ role: "reviewer", access: "read", outputSchema: SCHEMA });
  expect(await createClaudeAgent({ file }).invoke(request)).toMatchObject({
    failure: { kind: "schema" },
    text: "Done: hello.txt written and committed.",
  });
});

test("hands over the structured answer", async () => {
  const structured_output = { verdict: "approved" };
  const file = aProgramThatPrints(withResult({ structured_output, result: "" }));
  const request = aRequest({ role: "reviewer", access: "read", outputSchema: SCHEMA });
  const result = await createClaudeAgent({ file }).invoke(request);
  expect(result.failure).toBeUndefined();
  expect(result.structured).toEqual({ verdict: "approved" });
});

test("calls an empty answer of a reviewer a failure", async () => {
  const file = aProgramThatPrints(withResult({ result: " " }));
  const request = aRequest({ role: "reviewer", access: "read" });
  expect((await createClaudeAgent({ file }).invoke(request)).failure?.kind).toBe("empty-answer");
});

test.for([
  ["a session in use", "Error: Session ID x is already in use.", "session-busy"],
  ["an unknown session", "No conversation found with session ID: x", "session-missing"],
  ["a prompt over 10 MB", "Error: input exceeds 10MB limit", "prompt-too-large"],
  ["an unknown flag", "error: unknown option '--x'", "usage"],
  ["anything else", "Segmentation fault", "unknown"],
] as const)("tells %s from standard error", async ([, stderr, kind]) => {
  const file = aProgramThatPrints([], 1, stderr);
  const result = await createClaudeAgent({ file }).invoke(aRequest());
  expect(result.failure).toMatchObject({ kind, message: containing(stderr) });
});

test("calls an end without a result bad output", async () => {
  const lines = ["", "no json", '{"type":', "null", '{"type":"result","is_error":"yes"}', "[1]"];
  const { failure } = await createClaudeAgent({ file: aProgramThatPrints(lines) }).invoke(
    aRequest(),
  );
  expect(failure?.kind).toBe("bad-output");
});

test("books what was streamed when it is killed before its result", async () => {
  const start = {
    type: "stream_event",
    event: {
      type: "message_start",
      message: { id: "m1", model: "claude-opus-5-5", usage: { input_tokens: 1_000_000 } },
    },
  };
  const delta = {
    type: "stream_event",
    event: { type: "message_delta", usage: { output_tokens: 50_000 } },
  };
  const lines = [start, delta].map((event) => JSON.stringify(event));
  const file = aShellScript(`cat <<'END'\n${lines.join("\n")}\nEND\nkill -9 $$`);
  expect(await createClaudeAgent({ file }).invoke(aRequest())).toMatchObject({
    failure: { kind: "killed", retryable: true },
    costUsd: 5,
    costSource: "partial",
  });
});

test("says that a killed run's cost is unknown when its model's price is", async () => {
  const lines = aSample(GOOD)
    .slice(0, -1)
    .map((line) => line.replaceAll("claude-opus-5-5", "claude-unheard-of"));
  const result = await createClaudeAgent({ file: aProgramThatPrints(lines) }).invoke(aRequest());
  expect(result).toMatchObject({ costSource: "unknown" });
  expect(result.costUsd).toBeUndefined();
});

test.for([
  ["by the run's own count", {}, 0.01034],
  ["by a total that counts the session", { total_cost_usd: 9 }, 0.01034],
  [
    "by the total, of a version that counts the run",
    { model_usage_since_last_result: undefined, total_cost_usd: 0.5 },
    0.5,
  ],
  [
    "by its tokens, of a version that counts the session and not the run",
    {
      model_usage_since_last_result: undefined,
      total_cost_usd: 9,
      modelUsage: { "claude-opus-5-5": { inputTokens: 1e6, outputTokens: 1e6, costUSD: 9 } },
    },
    0.01034,
  ],
] as const)("knows what the run cost %s", async ([, change, costUsd]) => {
  const file = aProgramThatPrints(withResult(change));
  const result = await createClaudeAgent({ file }).invoke(aRequest());
  expect(result.costUsd).toBeCloseTo(costUsd, 6);
});

test("stops a response that begins when the money is spent", async () => {
  const message = (id: string) => ({
    type: "stream_event",
    event: {
      type: "message_start",
      message: { id, model: "claude-opus-5-5", usage: { input_tokens: 1_000_000 } },
    },
  });
  const lines = ["m1", "m2"].map((id) => JSON.stringify(message(id)));
  const file = aShellScript(`printf '%s\\n' '${lines.join("' '")}'; exec sleep 60`);
  const result = await createClaudeAgent({ file }).invoke(aRequest({ maxCostUsd: 1 }));
  expect(result).toMatchObject({ failure: { kind: "budget" }, costUsd: 8 });
});

test.for([
  ["Do it.", "Do it."],
  ["/compact it", "\n/compact it"],
] as const)("hands %j over as text", async ([prompt, input]) => {
  const seen = join(aDirectory(), "seen");
  const agent = createClaudeAgent({ file: aShellScript(`cat > '${seen}'`) });
  await agent.invoke(aRequest({ prompt }));
  expect(readFileSync(seen, "utf8")).toBe(input);
});

test("says how to install what is not there", async () => {
  const result = await createClaudeAgent({ env: { PATH: "/nowhere" } }).invoke(aRequest());
  expect(result).toMatchObject({
    failure: {
      kind: "not-installed",
      message: containing("npm install -g @anthropic-ai/claude-code"),
    },
    costUsd: 0,
    costSource: "computed",
  });
});
