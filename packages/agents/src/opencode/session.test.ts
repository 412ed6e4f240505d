import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentRequest, UnfinishedTurn } from "../agent.ts";
import { expect, test } from "vitest";
import { aProgramThatPrints, aSample } from "../../test/program.ts";
import { aDirectory, aRequest } from "../../test/request.ts";
import { createOpencodeAgent } from "../opencode.ts";
import { tokensOfSession } from "./before.ts";
import { opencodeModel } from "./models.ts";

const SESSION = "ses_dfbf0f3c7ffewpkMJ5akYn4j14";
const RESUMED = { sessionId: SESSION, resumesSession: true } as const;
const SAID = aSample("opencode-1.18.33.resumed.stream.jsonl");
const env = { PATH: process.env["PATH"], HOME: "/nowhere" };
const model = "anthropic/claude-sonnet-4-5";

/** A turn whose end is on record, as a later process finds it. */
const laterOf = (request: AgentRequest): UnfinishedTurn => ({
  request: { ...request, prompt: "" },
  process: undefined,
});

test("counts a resumed turn alone, as OpenCode does", async () => {
  const agent = createOpencodeAgent({ file: aProgramThatPrints(SAID), model, env });
  const result = await agent.invoke(aRequest(RESUMED));
  expect(result).toMatchObject({
    text: "AGAIN-ANSWER",
    sessionId: SESSION,
    costSource: "reported",
  });
  expect(result.costUsd).toBeCloseTo(0.00258, 9);
});

test("tells an unknown session from other failures, at no cost", async () => {
  const stderr = "\u001b[91m\u001b[1mError: \u001b[0mSession not found\n";
  const file = aProgramThatPrints([], 1, stderr);
  const result = await createOpencodeAgent({ file, env }).invoke(aRequest(RESUMED));
  expect(result).toMatchObject({
    failure: { kind: "session-missing", message: "OpenCode: Error: Session not found" },
    costUsd: 0,
    costSource: "computed",
  });
});

test("the same words mean nothing once the session has begun", async () => {
  const file = aProgramThatPrints(SAID.slice(0, 2), 1, "Session not found");
  const result = await createOpencodeAgent({ file, model, env }).invoke(aRequest(RESUMED));
  expect(result).toMatchObject({ failure: { kind: "unknown" }, costSource: "partial" });
});

test.for([undefined, "", "a name", "--continue", "ses_../../x"])(
  "starts nothing to continue in %j",
  async (sessionId) => {
    const agent = createOpencodeAgent({ file: aProgramThatPrints(SAID), env });
    const result = await agent.invoke(aRequest({ sessionId, resumesSession: true }));
    expect(result).toMatchObject({ failure: { kind: "session-missing" }, text: "", costUsd: 0 });
  },
);

test("has the same cost when a later process reads it, and a response more when it cannot tell how it ended", async () => {
  const agent = createOpencodeAgent({ file: aProgramThatPrints(SAID), model, env });
  const request = aRequest({ turnsDir: aDirectory() });
  const result = await agent.invoke(request);
  expect(await agent.adopt?.(laterOf(request))).toEqual(result);
  rmSync(join(request.turnsDir ?? "", "1.exit"));
  const found = await agent.find?.(laterOf(request));
  const { costUsd } = result;
  expect(found).toMatchObject({
    state: "died",
    sessionId: SESSION,
    costUsd,
    costSource: "partial",
  });
});

/** A turn before, with what its files hold. */
function aTurnBefore(lines: readonly string[], firstPrompt: number): AgentRequest {
  const turnsDir = aDirectory();
  const start = { v: 1, agent: "opencode", context: { firstPrompt } };
  writeFileSync(join(turnsDir, "1.start"), JSON.stringify(start));
  writeFileSync(join(turnsDir, "1.out"), lines.map((line) => `${line}\n`).join(""));
  writeFileSync(join(turnsDir, "2.out"), '{"type":"system"}\n');
  return aRequest({ runId: "run", turnId: "run.3", turnsDir, ...RESUMED });
}

const CALL = JSON.stringify({
  type: "tool_use",
  sessionID: SESSION,
  part: { tool: "read", state: { status: "completed", input: {}, output: "x".repeat(1000) } },
});
const [START = ""] = SAID;

test.for([
  ["what its last response was sent and said", SAID, 830],
  ["the same, and all that a response that broke off may have said", [...SAID, START], 32_830],
  [
    "its first prompt, where no response came to its end, and what tools said",
    [START, CALL],
    5000 + Buffer.byteLength(CALL) + 32_000,
  ],
] as const)("a session to be continued has %s", ([, lines, tokens]) => {
  expect(tokensOfSession(aTurnBefore(lines, 5000))).toBe(tokens);
});

test("a session of which nothing is known may fill its model's window", () => {
  const other = { ...aTurnBefore(SAID, 5000), sessionId: "ses_00000000" };
  expect(tokensOfSession(other)).toBeGreaterThan(1e8);
  expect(tokensOfSession({ ...other, turnsDir: undefined })).toBeGreaterThan(1e8);
  expect(tokensOfSession({ ...other, resumesSession: false })).toBe(0);
  const bound = createOpencodeAgent({ model, env }).responseBoundUsd?.(other);
  expect(bound).toBeLessThan(10);
});

test("the model is the one that is named, or that the user's settings name", () => {
  const home = aDirectory();
  const folder = join(home, ".config", "opencode");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "opencode.json"), '{"model":"acme/one","agent":{"a":{"model":"x"}}}');
  expect(opencodeModel(undefined, { HOME: home })).toBe("acme/one");
  writeFileSync(join(folder, "opencode.jsonc"), '{\n// mine\n"model":"acme/two"}');
  expect(opencodeModel(undefined, { HOME: home })).toBe("acme/two");
  expect(opencodeModel("acme/three", { HOME: home })).toBe("acme/three");
  writeFileSync(join(folder, "opencode.jsonc"), "{ no json");
  expect(opencodeModel(undefined, { HOME: home })).toBe("acme/one");
  expect(opencodeModel(undefined, { HOME: aDirectory() })).toBeUndefined();
});
