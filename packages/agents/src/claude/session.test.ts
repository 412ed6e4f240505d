import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentRequest, FoundTurn } from "../agent.ts";
import { expect, test } from "vitest";
import { aProgramThatPrints, aSample } from "../../test/program.ts";
import { aDirectory, aListener, aRequest, containing } from "../../test/request.ts";
import { type ClaudeAgentOptions, createClaudeAgent } from "../claude.ts";
import { claudeArgs } from "./args.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";
const TURN = { commands: [], guard: () => "/guard.js" };
const RESUMED = "claude-2.1.329.resumed.stream.jsonl";

test("continues in a session with the access, the money and the schema of any turn", () => {
  const request = aRequest({ sessionId: SESSION, maxCostUsd: 1, outputSchema: { type: "object" } });
  const args = claudeArgs(request, {}, TURN);
  const resumed = claudeArgs({ ...request, resumesSession: true }, {}, TURN);
  expect(args).toContain(`--session-id=${SESSION}`);
  expect(resumed).toEqual(args.map((arg) => arg.replace("--session-id=", "--resume=")));
});

/** The last of three equal turns of a session, with other keys in its result. */
function thirdTurn(change: Readonly<Record<string, unknown>>): string[] {
  const lines = aSample(RESUMED);
  const result = JSON.parse(lines.at(-1) ?? "") as object;
  return [...lines.slice(0, -1), JSON.stringify({ ...result, ...change })];
}

test.for([
  ["by the count since the last result", {}, 0.0016],
  ["by its tokens, where there is none", { model_usage_since_last_result: undefined }, 0.0016],
  [
    "by the total, where the session has forgotten what was before",
    {
      model_usage_since_last_result: undefined,
      total_cost_usd: 0.002,
      modelUsage: { "claude-opus-5-5": { inputTokens: 200, outputTokens: 40, costUSD: 0.002 } },
    },
    0.002,
  ],
  [
    "by its stream, where it used two models",
    {
      model_usage_since_last_result: undefined,
      modelUsage: {
        "claude-opus-5-5": { inputTokens: 600, outputTokens: 120, costUSD: 0.0048 },
        "claude-haiku-4-5": { inputTokens: 600, outputTokens: 120, costUSD: 0.0012 },
      },
    },
    0.0016,
  ],
] as const)("counts a resumed turn alone, %s", async ([, change, costUsd]) => {
  const { events, onEvent } = aListener();
  const agent = createClaudeAgent({ file: aProgramThatPrints(thirdTurn(change)) });
  const request = aRequest({ sessionId: SESSION, resumesSession: true });
  const result = await agent.invoke(request, { onEvent });
  expect(result).toMatchObject({ sessionId: SESSION, text: "Done." });
  expect(result.costUsd).toBeCloseTo(costUsd, 9);
  expect(events.findLast(({ type }) => type === "usage")).toEqual({
    type: "usage",
    costUsd: 0.0016,
  });
});

test("reads from the stream what a resumed turn cost that was killed", async () => {
  const lines = aSample(RESUMED).slice(0, 13);
  const result = await createClaudeAgent({ file: aProgramThatPrints(lines, 137) }).invoke(
    aRequest({ sessionId: SESSION, resumesSession: true }),
  );
  expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
  expect(result.costUsd).toBeCloseTo(0.0008, 9);
});

test.for([
  [`No conversation found with session ID: ${SESSION}\n`, "session-missing"],
  [
    'Error: --resume requires a valid session ID or session title when used with --print. Usage: claude -p --resume <session-id|title>. Provided value "x" is not a UUID',
    "session-missing",
  ],
  [`Error: Session ID ${SESSION} is already in use.\n`, "session-busy"],
] as const)("tells %j from other failures, at no cost", async ([stderr, kind]) => {
  const agent = createClaudeAgent({ file: aProgramThatPrints([], 1, stderr) });
  const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
  expect(result).toMatchObject({ failure: { kind }, costUsd: 0, costSource: "computed" });
});

test("tells a missing session, as it was recorded, from other failures, at no cost", async () => {
  const lines = aSample("claude-2.1.329.session-missing.stream.jsonl");
  const agent = createClaudeAgent({ file: aProgramThatPrints(lines, 1) });
  const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
  expect(result).toMatchObject({
    failure: { kind: "session-missing", message: containing("No conversation found") },
    costUsd: 0,
    costSource: "computed",
  });
});

test.for(["listen EADDRINUSE: address already in use", "No conversation found in the export"])(
  "does not take %j for a session that is not to be had once it has begun",
  async (stderr) => {
    const lines = aSample(RESUMED).slice(0, 13);
    const agent = createClaudeAgent({ file: aProgramThatPrints(lines, 137, stderr) });
    const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
    expect(result).toMatchObject({ failure: { kind: "killed" }, costSource: "partial" });
    expect(result.costUsd).toBeCloseTo(0.0008, 9);
  },
);

test("does not take words in a turn for a missing session", async () => {
  const errors = ["No conversation found in the export"];
  const lines = thirdTurn({ subtype: "error_during_execution", is_error: true, errors });
  const agent = createClaudeAgent({ file: aProgramThatPrints(lines, 1) });
  const result = await agent.invoke(aRequest({ sessionId: SESSION, resumesSession: true }));
  expect(result.failure?.kind).toBe("unknown");
  expect(result.costUsd).toBeCloseTo(0.0016, 9);
});

test.for([undefined, "", "a title", "--dangerously-skip-permissions"])(
  "starts nothing to continue in %j",
  async (sessionId) => {
    const agent = createClaudeAgent({ file: aProgramThatPrints(aSample(RESUMED)) });
    const result = await agent.invoke(aRequest({ sessionId, resumesSession: true }));
    expect(result).toMatchObject({
      failure: { kind: "session-missing", message: containing(sessionId ?? "") },
      text: "",
      costUsd: 0,
    });
  },
);

/** What is found of a turn of Claude Code that was killed when it had printed so many lines. */
async function foundDead(
  lines: number,
  options: ClaudeAgentOptions,
  change: Partial<AgentRequest> = {},
): Promise<FoundTurn | undefined> {
  const file = aProgramThatPrints(aSample(RESUMED).slice(0, lines), 137);
  const agent = createClaudeAgent({ ...options, file });
  const request = aRequest({ sessionId: SESSION, turnsDir: aDirectory(), ...change });
  await agent.invoke(request);
  rmSync(join(request.turnsDir ?? "", "1.exit"));
  return agent.find?.({ request: { ...request, prompt: "" }, process: undefined });
}

/** A folder of Claude Code's own that holds a file of a session. */
function aConfigDir(text: string, name: string = SESSION): string {
  const dir = aDirectory();
  const project = join(dir, "projects/-home-dev-project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${name}.jsonl`), text);
  return dir;
}

const [QUEUED, USER] = ['{"type":"queue-operation"}\n', '{"type":"user","message":{}}\n'];
/** Claude Code has begun, and asks the model; in the next line the model answers. */
const ASKING = 2;
const LONG = `{"type":"attachment","x":"${"x".repeat(2 ** 17)}"}\n`;

test.for([
  ["nothing on record", "", ""],
  ["no prompt on record", QUEUED, ""],
  ["half a prompt on record", `${QUEUED}${USER.slice(0, 20)}`, ""],
  ["its prompt on record", `${QUEUED}${USER}`, SESSION],
  ["its prompt on record, far behind", `${LONG}${LONG}${USER}`, SESSION],
  ["its prompt on record without a line break", `${QUEUED}${USER.trim()}`, SESSION],
  ["an answer on record", '{"type":"assistant"}\n', SESSION],
] as const)("is found with %s when it was killed before an answer", async ([, text, sessionId]) => {
  const env = { CLAUDE_CONFIG_DIR: aConfigDir(text), PATH: process.env["PATH"] };
  expect(await foundDead(ASKING, { env })).toMatchObject({ state: "died", sessionId });
});

test.for([
  ["the model has begun to answer", ASKING + 1, {}],
  ["it had continued it", ASKING, { resumesSession: true }],
] as const)(
  "continues in a session of which nothing is found where %s: Claude Code may know more",
  async ([, lines, change]) => {
    const env = { CLAUDE_CONFIG_DIR: aDirectory(), PATH: process.env["PATH"] };
    expect(await foundDead(lines, { env }, change)).toMatchObject({ sessionId: SESSION });
  },
);

test("looks for its record where its agent's environment says", async () => {
  const { PATH } = process.env;
  const [there, elsewhere] = [aConfigDir(USER), aDirectory()];
  const home = aDirectory();
  mkdirSync(join(home, ".claude"));
  execFileSync("cp", ["-r", join(there, "projects"), join(home, ".claude")]);
  const found = async (options: ClaudeAgentOptions, workTree?: string) => {
    const turn = await foundDead(ASKING, options, workTree === undefined ? {} : { workTree });
    return turn?.state === "died" && turn.sessionId !== "";
  };
  expect(await found({ env: { PATH, HOME: home } })).toBe(true);
  expect(await found({ env: { PATH, HOME: home, CLAUDE_CONFIG_DIR: elsewhere } })).toBe(false);
  const setEnv = { CLAUDE_CONFIG_DIR: there };
  expect(await found({ env: { PATH, CLAUDE_CONFIG_DIR: elsewhere }, setEnv })).toBe(true);
  expect(await found({ env: { PATH, CLAUDE_CONFIG_DIR: "." } }, there)).toBe(true);
});

test("takes no other file for the record of a session", async () => {
  const { PATH } = process.env;
  const found = (dir: string, sessionId: string) =>
    foundDead(0, { env: { PATH, CLAUDE_CONFIG_DIR: dir } }, { sessionId });
  const outside = aConfigDir(USER, "../../secret");
  expect(await found(outside, "../../secret")).toMatchObject({ sessionId: "" });
  const pipe = aConfigDir("", "another");
  execFileSync("mkfifo", [join(pipe, "projects/-home-dev-project", `${SESSION}.jsonl`)]);
  expect(await found(pipe, SESSION)).toMatchObject({ sessionId: "" });
});

/** A line of a session's record: a response that was sent 51,000 tokens and has said 500. */
function response(id: string, change: Readonly<Record<string, unknown>> = {}): string {
  const usage = { input_tokens: 1000, cache_read_input_tokens: 50_000, output_tokens: 500 };
  return `${JSON.stringify({ type: "assistant", message: { id, usage }, ...change })}\n`;
}

const AFTER = `{"type":"user","message":{"content":"${"y".repeat(3000)}"}}\n`;

test.for([
  ["nothing where nothing is on record", "", 0],
  [
    "the last response, and what came after it",
    `${response("a")}${USER}${response("b")}${AFTER}`,
    51_500,
  ],
  ["a response of several lines once", `${response("b")}${response("b")}${AFTER}`, 51_500],
  [
    "no subagent's",
    `${response("b")}${AFTER}${response("c", { isSidechain: true, message: { id: "c", usage: {} } })}`,
    51_500,
  ],
] as const)("bounds the next response of a session with %s", ([, text, said]) => {
  const env = { CLAUDE_CONFIG_DIR: aConfigDir(text), PATH: process.env["PATH"] };
  const agent = createClaudeAgent({ env });
  const boundOf = (change: Partial<AgentRequest>): number =>
    agent.responseBoundUsd?.(aRequest({ sessionId: SESSION, prompt: "", ...change })) ?? Number.NaN;
  const usdOfToken = (boundOf({ prompt: "x".repeat(1000) }) - boundOf({})) / 1000;
  const more = (boundOf({ resumesSession: true }) - boundOf({})) / usdOfToken;
  const since = text.slice(Math.max(0, text.indexOf('{"type":"assistant","message":{"id":"b"')));
  expect(more).toBeGreaterThanOrEqual(said + (text === "" ? 0 : AFTER.length));
  expect(more).toBeLessThanOrEqual(said + since.length);
});

test("counts what was said before in a resumed turn that is killed before an answer", async () => {
  const { PATH } = process.env;
  const costOf = async (text: string, change: Partial<AgentRequest>) => {
    const env = { PATH, CLAUDE_CONFIG_DIR: aConfigDir(text) };
    const turn = await foundDead(ASKING, { env }, change);
    return turn?.state === "died" ? (turn.costUsd ?? 0) + (turn.unknownUsd ?? 0) : Number.NaN;
  };
  const whole = `${response("b")}${AFTER}`;
  const [fresh, resumed] = [await costOf(whole, {}), await costOf(whole, { resumesSession: true })];
  expect(resumed).toBeGreaterThan(fresh + 0.05);
});
