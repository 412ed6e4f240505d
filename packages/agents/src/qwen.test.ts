import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aProgramThatPrints, aSample, aShellScript } from "../test/program.ts";
import { aDirectory, aListener, aRequest, containing } from "../test/request.ts";
import type { AgentRequest } from "./agent.ts";
import { createQwenAgent, qwenAdapter } from "./qwen.ts";
import { createWatcher } from "./watchers.ts";

const GOOD = "qwen-0.24.4.stream.jsonl";
const RESUMED = "qwen-0.24.4.resumed.stream.jsonl";
const SESSION = "5ada88a3-4c46-4e6d-84fd-27fb9d106d64";

/** The good sample with other keys in its result; `undefined` takes a key away. */
function withResult(change: Readonly<Record<string, unknown>>): string[] {
  const lines = aSample(GOOD);
  const result = JSON.parse(lines.at(-1) ?? "") as object;
  return [...lines.slice(0, -1), JSON.stringify({ ...result, ...change })];
}

const failed = (message: string): string[] =>
  withResult({
    is_error: true,
    subtype: "error_during_execution",
    result: undefined,
    error: { message },
  });

/** The user's folder of Qwen Code, with a session of the three responses of the good sample on record. */
function aHomeWithSession(): string {
  const home = aDirectory();
  const chats = join(home, "projects", "-home-dev-repo", "chats");
  mkdirSync(chats, { recursive: true });
  const responses = [
    [1000, 50, 0],
    [1700, 30, 1500],
    [1800, 20, 1700],
  ].map(([input = 0, output = 0, cached]) => ({
    "event.name": "qwen-code.api_response",
    input_token_count: input,
    output_token_count: output,
    cached_content_token_count: cached,
    total_token_count: input + output,
  }));
  const lines = responses.map((uiEvent) => ({
    ...{ type: "system", subtype: "ui_telemetry", systemPayload: { uiEvent } },
  }));
  const said = { type: "user", message: { role: "user", parts: [{ text: "Go." }] } };
  const text = [said, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(chats, `${SESSION}.jsonl`), text);
  return home;
}

const resumed = (change: Partial<AgentRequest> = {}): AgentRequest =>
  aRequest({ sessionId: SESSION, resumesSession: true, ...change });

test("reports text, tools, session, version and the cost of the run", async () => {
  const { events, onEvent } = aListener();
  const agent = createQwenAgent({ file: aProgramThatPrints(aSample(GOOD)) });
  const result = await agent.invoke(aRequest(), { onEvent });
  expect(result).toMatchObject({
    text: "FINAL-ANSWER done",
    sessionId: SESSION,
    agentVersion: "0.24.4",
    costSource: "computed",
  });
  expect(result.failure).toBeUndefined();
  // 1300 tokens of input that may all have been written to a cache, 3200 read of it, 100 of output.
  expect(result.costUsd).toBeCloseTo((1300 * 3.75 + 3200 * 0.3 + 100 * 15) / 1e6, 9);
  expect(events[0]).toEqual({ type: "session", sessionId: SESSION });
  expect(events).toContainEqual({ type: "text", text: "Writing." });
  expect(events.flatMap((event) => (event.type === "tool" ? [event.name] : []))).toEqual([
    ...["Write", "Bash"],
  ]);
});

test("counts a turn in a session by itself, what the session had used before taken off", async () => {
  const env = { QWEN_HOME: aHomeWithSession(), PATH: process.env["PATH"] };
  const agent = createQwenAgent({ file: aProgramThatPrints(aSample(RESUMED)), env });
  const { costUsd, costSource } = await agent.invoke(resumed());
  // The session's result says 5400, of which 900 are the turn's: 800 were told, 100 for what was not.
  expect(costSource).toBe("computed");
  expect(costUsd).toBeCloseTo((800 * 3.75 + 100 * 0.3 + 50 * 15) / 1e6, 9);
});

test("counts what was told of a turn where its session has no record", async () => {
  const env = { QWEN_HOME: aDirectory(), PATH: process.env["PATH"] };
  const agent = createQwenAgent({ file: aProgramThatPrints(aSample(RESUMED)), env });
  const { costUsd } = await agent.invoke(resumed());
  expect(costUsd).toBeCloseTo((700 * 3.75 + 100 * 0.3 + 30 * 15) / 1e6, 9);
});

test("counts requests that it made without telling, at the dearest model that it named", async () => {
  const usage = { input_tokens: 5000, output_tokens: 150, cache_read_input_tokens: 3200 };
  const file = aProgramThatPrints(withResult({ usage: { ...usage, total_tokens: 5150 } }));
  const { costUsd } = await createQwenAgent({ file }).invoke(aRequest());
  expect(costUsd).toBeCloseTo((1800 * 3.75 + 3200 * 0.3 + 150 * 15) / 1e6, 9);
});

test("counts thoughts, which only the total has", async () => {
  const lines = aSample(GOOD).map((line) =>
    line.replaceAll('"total_tokens":1820', '"total_tokens":2820'),
  );
  const { costUsd } = await createQwenAgent({ file: aProgramThatPrints(lines) }).invoke(aRequest());
  expect(costUsd).toBeCloseTo((1300 * 3.75 + 3200 * 0.3 + 1100 * 15) / 1e6, 9);
});

test("counts a response that broke off with all that it may have been", async () => {
  const retry = {
    type: "system",
    subtype: "retry",
    data: { reason: "retry", discardedToolCalls: 0 },
  };
  const lines = aSample(GOOD).toSpliced(2, 0, JSON.stringify(retry));
  const { events, onEvent } = aListener();
  const agent = createQwenAgent({
    file: aProgramThatPrints(lines),
    model: "claude-sonnet-4-5",
    maxOutputTokens: 1000,
  });
  const result = await agent.invoke(aRequest({ prompt: "", systemPrompt: "" }), { onEvent });
  expect(result).toMatchObject({ costSource: "partial" });
  expect(result.unknownUsd).toBeCloseTo((20_000 * 6 + 1000 * 15) / 1e6, 9);
  expect(events).toContainEqual({ type: "retry", message: "attempt ? of ?: retry" });
});

test("a killed turn may have had a response under way", async () => {
  const lines = aSample(GOOD).slice(0, 4);
  const file = aShellScript(`cat <<'END'\n${lines.join("\n")}\nEND\nkill -9 $$`);
  const result = await createQwenAgent({ file }).invoke(aRequest());
  expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo((1000 * 3.75 + 50 * 15) / 1e6, 9);
  expect(result.unknownUsd).toBeGreaterThan((32_000 * 15) / 1e6);
});

test("is stopped by its watcher over what the turn may cost", async () => {
  const lines = aSample(GOOD).map((line) =>
    line.replaceAll('"input_tokens":1', '"input_tokens":100'),
  );
  const file = aShellScript(`cat <<'END'\n${lines.slice(0, 6).join("\n")}\nEND\nexec sleep 60`);
  const result = await createQwenAgent({ file }).invoke(aRequest({ maxCostUsd: 0.1 }));
  expect(result.failure?.kind).toBe("budget");
});

test.for([
  ["the answer of a tool", "user"],
  ["a response that broke off", "retry"],
] as const)("over its limit it is stopped where it asks again, after %s", ([, asks]) => {
  const request = aRequest({ maxCostUsd: 0.1 });
  const adapter = qwenAdapter({ model: "claude-sonnet-4-5", env: {} });
  const prepared = adapter.prepare(request, (ending) => join(request.workTree, `turn${ending}`));
  if ("kind" in prepared || prepared.watcher === undefined) throw new Error("nobody watches");
  const watch = createWatcher(prepared.watcher);
  const tokens = { input_tokens: 30_000, output_tokens: 2000, total_tokens: 32_000 };
  const usage = { ...tokens, cache_read_input_tokens: 0 };
  const call = { type: "tool_use", id: "t", name: "read_file", input: {} };
  const message = { id: "m", model: "claude-sonnet-4-5", content: [call], usage };
  const answer = { type: "tool_result", tool_use_id: "t", is_error: false, content: "x" };
  const lines = {
    assistant: { type: "assistant", parent_tool_use_id: null, message },
    user: { type: "user", parent_tool_use_id: null, message: { content: [answer] } },
    retry: { type: "system", subtype: "retry", data: { reason: "retry", discardedToolCalls: 0 } },
  };
  const says = (line: keyof typeof lines) => watch(JSON.stringify(lines[line]));
  expect([says("assistant"), says(asks)]).toEqual([undefined, "budget"]);
});

test("tells a refused key, as it was recorded, from success", async () => {
  const file = aProgramThatPrints(aSample("qwen-F-401.stream.jsonl"), 1);
  const result = await createQwenAgent({ file }).invoke(aRequest());
  expect(result).toMatchObject({
    failure: { kind: "auth", retryable: false, message: containing("invalid key") },
    costUsd: 0,
    text: "",
  });
});

test.for([
  ["a rate limit", "[API Error: 429 {}]\nPossible quota limitations in place", "rate-limit", true],
  ["a spent quota", '[API Error: 429 {"code":"insufficient_quota"}]', "billing", false],
  ["a lack of credit", "[API Error: 400 Your credit balance is too low]", "billing", false],
  ["a prompt over the window", "[API Error: 400 prompt is too long: 9]", "context-overflow", false],
  ["an overload", '[API Error: 529 {"type":"error"}]', "overloaded", true],
  ["a dropped connection", "[API Error: Connection error.]", "network", true],
  ["an unknown model", "[API Error: 404 model: x]", "usage", false],
  [
    "a model that does not answer",
    "[API Error: Model stream ended with empty response text.]",
    "empty-answer",
    true,
  ],
  [
    "an answer in another form",
    "Model produced plain text instead of calling the structured_output tool as required by --json-schema",
    "schema",
    true,
  ],
  ["anything else", "Loop detection halted the run", "unknown", false],
] as const)("tells %s from success", async ([, message, kind, retryable]) => {
  const file = aProgramThatPrints(failed(message), 1);
  const { failure } = await createQwenAgent({ file }).invoke(aRequest());
  expect(failure).toMatchObject({ kind, retryable });
  expect(failure?.message).toMatch(/^Qwen Code: /u);
});

test.for([
  [
    "a session in use",
    `Error: Session Id ${SESSION} already exists (active or archived).`,
    "session-busy",
  ],
  ["an unknown session", `No saved session found with ID ${SESSION}.`, "session-missing"],
  ["an unknown flag", "Unknown argument: x", "usage"],
  ["anything else", "Segmentation fault", "unknown"],
] as const)("tells %s from standard error", async ([, stderr, kind]) => {
  const file = aProgramThatPrints([], 1, stderr);
  const { failure, costUsd } = await createQwenAgent({ file }).invoke(aRequest());
  expect(failure).toMatchObject({ kind, message: containing(stderr) });
  expect(costUsd).toBe(0);
});

test("hands over the structured answer", async () => {
  const structured_result = { verdict: "approved" };
  const file = aProgramThatPrints(withResult({ structured_result }));
  const request = aRequest({ role: "reviewer", access: "read", outputSchema: { type: "object" } });
  const result = await createQwenAgent({ file }).invoke(request);
  expect(result.failure).toBeUndefined();
  expect(result.structured).toEqual({ verdict: "approved" });
});

test("tells once what a coder was denied, and what allows it", async () => {
  const denied = [
    { tool_name: "run_shell_command", tool_input: { command: "npm test" } },
    { tool_name: "run_shell_command", tool_input: { command: "npm test" } },
    { tool_name: "write_file", tool_input: { file_path: "/etc/passwd" } },
    { tool_name: "constructor", tool_input: {} },
  ];
  const file = aProgramThatPrints(withResult({ permission_denials: denied }));
  expect((await createQwenAgent({ file }).invoke(aRequest())).denials).toEqual([
    { what: "npm test", allow: ["Bash(npm test *)"] },
    { what: "Write /etc/passwd", allow: ["Edit"] },
    { what: "constructor", allow: ["constructor"] },
  ]);
});

/** What a turn is started with. */
function preparedFor(
  change: Partial<AgentRequest>,
  options: Parameters<typeof qwenAdapter>[0] = {},
) {
  const request = aRequest(change);
  const adapter = qwenAdapter({ env: { QWEN_HOME: aDirectory() }, ...options });
  const prepared = adapter.prepare(request, (ending) => join("/turns", `1.${ending}`));
  if ("kind" in prepared) throw new Error(prepared.message);
  const { program, files = {} } = prepared;
  const json = (path: string): unknown => JSON.parse(files[path] ?? "");
  return {
    ...program,
    files,
    settings: json("/turns/1.settings"),
    folders: json("/turns/1.folders"),
  };
}

test("allows a coder edits in the work tree and the commands of its request, by rules", () => {
  const commands = ["npm test", "npm run a,b", "cd web && CI=1 npm test"];
  const workTree = "/home/dev/my (app), really";
  const { args, input, files } = preparedFor(
    { workTree, commands },
    { allowedTools: ["Bash(make *)"] },
  );
  const rules = args.flatMap((arg) => /^--allowed-tools=(.*)$/u.exec(arg)?.[1] ?? []);
  const [script = ""] = Object.keys(files).filter((path) => path.endsWith(".sh"));
  expect(rules).toEqual([
    "edit(//home/dev/my ?app?? really/**)",
    "write_file(//home/dev/my ?app?? really/**)",
    "notebook_edit(//home/dev/my ?app?? really/**)",
    "run_shell_command(git status)",
    ...["run_shell_command(npm test)", "run_shell_command(npm test *)"],
    ...["run_shell_command(npm run a*b)", "run_shell_command(npm run a*b *)"],
    ...[`run_shell_command(sh ${script})`, `run_shell_command(sh ${script} *)`],
    "Bash(make *)",
  ]);
  expect(files[script]).toBe("cd web && CI=1 npm test\n");
  expect(input).toContain("- npm test\n");
  expect(args).toContain("--safe-mode");
});

test("takes all that writes from a reviewer, and gives it no further arguments", () => {
  const { args } = preparedFor(
    { role: "reviewer", access: "read" },
    { args: ["--x"], projectSettings: true },
  );
  const denied = args.flatMap((arg) => /^--exclude-tools=(.*)$/u.exec(arg)?.[1] ?? []);
  for (const tool of ["run_shell_command", "edit", "write_file", "notebook_edit", "agent"]) {
    expect(denied).toContain(tool);
  }
  expect(args).toContain("--safe-mode");
  expect(args.join(" ")).not.toMatch(/--x|--allowed-tools/u);
});

test.for([
  ["is none that Qwen Code trusts", {}, true, "DO_NOT_TRUST"],
  ["counts where the user says so", { projectSettings: true }, false, "TRUST_FOLDER"],
] as const)("a repository %s", ([, options, isHeld, level]) => {
  const { args, setEnv, settings, folders } = preparedFor({ workTree: "/home/dev/app" }, options);
  expect(args.includes("--safe-mode")).toBe(isHeld);
  expect(settings).toMatchObject({
    security: { folderTrust: { enabled: isHeld } },
    telemetry: { enabled: false },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false },
  });
  expect(folders).toEqual({ "/home/dev/app": level });
  expect(setEnv).toMatchObject({
    QWEN_CODE_SYSTEM_SETTINGS_PATH: "/turns/1.settings",
    QWEN_CODE_TRUSTED_FOLDERS_PATH: "/turns/1.folders",
  });
});

test("an administrator's settings count beside ours; those that are no JSON end the turn", () => {
  const path = join(aDirectory(), "system.json");
  const env = { QWEN_HOME: aDirectory(), QWEN_CODE_SYSTEM_SETTINGS_PATH: path };
  writeFileSync(path, JSON.stringify({ proxy: "http://proxy", security: { auth: { a: 1 } } }));
  expect(preparedFor({}, { env }).settings).toMatchObject({
    proxy: "http://proxy",
    security: { auth: { a: 1 }, folderTrust: { enabled: true } },
  });
  writeFileSync(path, "{");
  expect(() => preparedFor({}, { env })).toThrow(path);
});

test.for([
  ["Do it.", "Do it."],
  ["/compact it", "\n/compact it"],
  ["Mail a@b.c about @types/node", "Mail a\\@b.c about \\@types/node"],
] as const)("hands %j over as text", async ([prompt, input]) => {
  const seen = join(aDirectory(), "seen");
  const agent = createQwenAgent({ file: aShellScript(`cat > '${seen}'`) });
  await agent.invoke(aRequest({ prompt }));
  expect(readFileSync(seen, "utf8")).toBe(input);
});

test("bounds the first response in a session by what its last one was sent and said", () => {
  const env = { QWEN_HOME: aHomeWithSession() };
  const agent = createQwenAgent({ model: "claude-sonnet-4-5", env });
  const more =
    (agent.responseBoundUsd?.(resumed()) ?? 0) - (agent.responseBoundUsd?.(aRequest()) ?? 0);
  expect(more).toBeCloseTo((1820 * 6) / 1e6, 9);
});

test.for([
  ["that the user's settings name", { model: { name: "claude-sonnet-4-5" } }, true],
  ["without a price", { model: { name: "qwen-99" } }, false],
  ["that nobody names", {}, false],
] as const)("bounds a response of a model %s, where it has a price", ([, settings, isBounded]) => {
  const home = aDirectory();
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  const agent = createQwenAgent({ env: { QWEN_HOME: home } });
  expect(agent.responseBoundUsd?.(aRequest()) !== undefined).toBe(isBounded);
});

test.for([
  ["has a record", true, SESSION],
  ["has none", false, ""],
] as const)(
  "a turn that died before it was answered continues in its session if that %s",
  ([, hasRecord, sessionId]) => {
    const env = { QWEN_HOME: hasRecord ? aHomeWithSession() : aDirectory() };
    const reader = qwenAdapter({ env }).open(aRequest({ sessionId: SESSION }), undefined, () => {});
    reader.read(aSample(GOOD).slice(0, 2));
    expect(reader.known().sessionId).toBe(sessionId);
  },
);

test("says how to install what is not there", async () => {
  const { failure } = await createQwenAgent({ env: { PATH: "/nowhere" } }).invoke(aRequest());
  expect(failure).toMatchObject({
    kind: "not-installed",
    message: containing("npm install -g @qwen-code/qwen-code"),
  });
});
